/// The routes of the author's relay, and a phone at another one. A signature is good for one request, so all calls of
/// apps are refused.
extension Route {
    private static let signed = [
        (
            name: "Relay-Key",
            value: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        ), (name: "Relay-Time", value: "1795341600"),
        (name: "Relay-Signature", value: String(repeating: "A", count: 86)), json,
    ]
    private static let address = "/relay/v1/addresses/AAAAAAAAAAAAAAAAAAAAAA"
    /// 120 bytes that look sealed: the lengths of the record and of the key, and the beginning of a point.
    private static let sealed = "AAAAAAAAAAAAAAAAAAAAAAAAEABBB" + String(repeating: "A", count: 131)

    static let relay = [
        Route(
            "relay", "POST", "/relay/v1/addresses", signed,
            [
                #"{"apns":{"token":"<hex>","bundle_id":"com.example.agents","environment":"sandbox"}}"#,
                #"{"fcm":{"token":"emulated:relay-<n>"},"admission":{"secret":"<word>"},"text":{"title":"<word>"}}"#,
            ], expected: [401]),
        Route("relay", "GET", address, signed, expected: [401]),
        Route("relay", "DELETE", address, signed, expected: [401]),
        Route("relay", "POST", address + "/secrets", signed, ["{}"], expected: [401]),
        Route("relay", "DELETE", address + "/secrets/0123456789abcdef", signed, expected: [401]),
        Route(
            "relay", "POST", "/relay/v1/send",
            [("X-Forwarded-For", "<address>"), ("Authorization", "Bearer relay-<n>"), json],
            [
                #"{"address":"relay:push.example.com/AAAAAAAAAAAAAAAAAAAAAA","id":"<n>","sealed":"\#(sealed)","collapse":"abc-<n>","priority":"high","ttl":60,"kind":"alert"}"#
            ], expected: [404, 429]),
        // A gateway that runs already may have no such address.
        Route(
            "relay", "POST", "/relay/v1/send",
            [("X-Forwarded-For", "<address>"), ("Authorization", "Bearer <relaySecret>"), json],
            [
                #"{"address":"<relayAddress>","id":"<word>","sealed":"\#(sealed)","priority":"high","ttl":60,"kind":"alert"}"#,
                #"{"address":"<relayAddress>","id":"<word>","sealed":"\#(sealed)","collapse":"abc-<n>","priority":"normal","ttl":0,"kind":"background"}"#,
                #"{"address":"<relayAddress>","id":"<word>","sealed":"\#(sealed)","priority":"normal","ttl":60,"kind":"liveactivity","card":{"id":"abcdefghijklmnop","event":"update","timestamp":1800000000,"stale_at":1800000900}}"#,
            ], expected: [202, 400]),
        // It may also take no addresses of relays.
        Route(
            "code agents", "POST", "/registerSubscription",
            [("X-Forwarded-For", "<address>"), ("Authorization", "Bearer <agentSecret>"), json],
            [
                #"{"cwd":"/srv/relayed","installation_id":"relayed-<n>","fcm_token":"relay:relay.invalid/<word>","relay":{"send_secret":"0123456789abcdef","p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg","collapse_key":"AAAAAAAAAAAAAAAAAAAAAA"}}"#
            ], expected: [200, 400]),
        Route("relay", "POST", "/relay/v1/nothing/here", expected: [404]),
    ]
}
