/// Subscriptions of browsers as JSON: a valid one, and others that break a rule in one place each.
enum OddSubscription {
    private static let point =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    /// A valid subscription.
    static let valid = body()

    /// Returns a subscription, with each part replaceable by other JSON.
    private static func body(
        endpoint: String = OddSubscription.quoted("https://push.invalid/<n>"),
        p256dh: String = OddSubscription.quoted(OddSubscription.point),
        auth: String = OddSubscription.quoted(OddSubscription.secret)
    ) -> String {
        #"{"endpoint":\#(endpoint),"expirationTime":null,"keys":{"p256dh":\#(p256dh),"auth":\#(auth)}}"#
    }

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }

    private static func repeated(_ before: String, _ text: String, _ count: Int, _ after: String = "") -> String {
        "\(before)\(String(repeating: text, count: count))\(after)"
    }

    // MARK: No subscriptions

    /// JSON that is no subscription.
    static let bodies: [String] = [others, withoutEndpoint, withoutPoint, withoutSecret].flatMap(\.self)

    private static let others = [
        "[]", "{}", "1", "true", #""x""#, #"{"endpoint":"https://push.invalid/<n>"}"#,
        #"{"endpoint":"https://push.invalid/<n>","keys":[]}"#, #"{"keys":{"p256dh":"\#(point)","auth":"\#(secret)"}}"#,
    ]
    private static let otherJSON = ["1", "null", "[]", "{}"]
    private static let withoutEndpoint = (otherJSON + endpoints.map(quoted)).map { body(endpoint: $0) }
    private static let withoutPoint = (otherJSON + points.map(quoted)).map { body(p256dh: $0) }
    private static let withoutSecret = (otherJSON + secrets.map(quoted)).map { body(auth: $0) }

    /// Texts that are no endpoints, in escaped form: other schemes, characters that other programs read in another way,
    /// ports out of range, addresses in the spellings of C, and what is too long.
    private static let endpoints: [String] = [
        "", "https:", "https://", "https:///a", "http://push.invalid/a", "javascript:alert(1)", "webpush:a.b.c",
        "https://push.invalid/\\u0000", "https://push.invalid\\u0000.example/a", "https://push.invalid/a b",
        "https://push.invalid/\\r\\nX: y", "https://push.invalid/é", "https://push.invalid/\\ud83d",
        "https://é.invalid/", "https://push.invalid\\\\@127.0.0.1/", "https://user:x@push.invalid/",
        "https://push.invalid/#f", "https://push.invalid:/", "https://push.invalid:0/", "https://push.invalid:+443/",
        "https://push.invalid:65536/", "https://push.invalid:99999999999999999999/", "https://push.invalid:443:443/",
        "https://[::1/", "https://[]/", "https://[::1]x/", "https://[::1%25lo]/", "https://[127.0.0.1]/",
        "https://[::ffff:127.0.0.1.5]/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/",
        "https://127.1/", "https://0177.0.0.1/", "https://127.0.0.1./", "https://push.invalid./", "https://.invalid/",
        "https://-a.invalid/", "https://a..invalid/", "https://%31%32%37.0.0.1/",
        repeated("https://", "a", 64, ".invalid/"), repeated("https://", "a.", 126, "invalid/"),
        repeated("https://push.invalid/", "a", 2_028),
    ]

    /// Texts that are no point on P-256: not on the curve, at infinity, compressed, in the hybrid form, too short, too
    /// long, not base64.
    private static let points: [String] = [
        "", repeated("BAEB", "AQEB", 20, "AQE"), repeated("BP__", "____", 20, "__8"), repeated("", "A", 87),
        repeated("AgEB", "AQEB", 10), "BiVx\(point.dropFirst(4))", "\(point.dropLast(2))", "\(point)AA",
        "\(point)\\u0000", "é", repeated("", "A", 3_000),
    ]

    /// Texts that are no 16 bytes.
    private static let secrets: [String] = [
        "", "AA", "\(secret.dropLast(2))", "\(secret)AA", "\(secret)\\u0000", repeated("", "!", 22),
        repeated("", "A", 3_000),
    ]

    // MARK: Forbidden servers

    /// Subscriptions at servers that no push service has.
    static let forbidden: [String] = forbiddenEndpoints.map { body(endpoint: quoted($0)) }

    /// Endpoints on this machine and on other networks than the internet, in IPv4, IPv6 and the forms in which one
    /// stands for the other; names without a point; ports of other protocols.
    private static let forbiddenEndpoints: [String] = [
        "https://127.0.0.1/", "https://0.0.0.0/", "https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/",
        "https://100.64.0.1/", "https://169.254.169.254/latest", "https://224.0.0.1/", "https://255.255.255.255/",
        "https://[::1]/", "https://[::]/", "https://[fe80::1]/", "https://[fd00::1]/", "https://[fd00:ec2::254]/",
        "https://[2001:db8::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:a00:1]/", "https://[::127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/", "https://[64:ff9b:1::7f00:1]/", "https://[2002:7f00:1::]/",
        "https://[2001:0:7f00:1::80ff:fffe]/", "https://localhost/", "https://gateway/", "https://push.invalid:22/",
        "https://push.invalid:8080/", "https://fcm.googleapis.com:65535/",
    ]

    // MARK: Tokens

    /// Tokens that begin as those of subscriptions do, and are none.
    static let damagedTokens: [String] = [
        "webpush:", "webpush:..", "webpush:a.b.c", "webpush:\\u0000.b.c",
        "webpush:aHR0cHM6Ly9wdXNoLmludmFsaWQvMQ.\(point).\(secret)=",
        "webpush:aHR0cHM6Ly9wdXNoLmludmFsaWQvMQ.\(secret).\(point)",
        repeated("webpush:", "A", 3_000, ".\(point).\(secret)"),
    ]

    /// The token of a subscription at this machine.
    static let forbiddenToken = "webpush:aHR0cHM6Ly8xMjcuMC4wLjEv.\(point).\(secret)"
}
