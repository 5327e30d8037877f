import Cryptography
package import Messaging
package import Settings

/// The examination of the key, and of the ways to the services of browsers.
extension BrowserPushService {
    /// Endpoints that cannot exist, by the names of the services.
    private static let probes = [
        ("Apple", "https://web.push.apple.com/"), ("Google", "https://fcm.googleapis.com/fcm/send/"),
        ("Mozilla", "https://updates.push.services.mozilla.com/wpush/v2/"),
    ]

    package static func checkCredentials(
        _ settings: WebPushSettings, host: PushServiceHost
    ) throws(ConfigurationError) {
        _ = try identity(settings, host)
    }

    package static func examine(_ settings: WebPushSettings, host: PushServiceHost) async -> [Finding] {
        guard let (identity, isKeyNew) = try? identity(settings, host) else { return [] }
        // A new key is not kept: it would mislead a page that subscribes with it.
        let key = isKeyNew ? "no key in the data directory yet" : "key \(identity.publicKey)"
        var findings: [Finding] = [.ok("webpush", "\(settings.subject), \(key): usable")]
        if !settings.connectTo.isEmpty {
            findings.append(
                .warning(
                    "webpush", "webpush.connectTo leads push services to other servers",
                    because: "No message reaches these services.", advice: "Remove the setting, unless this is a test.")
            )
        }
        let client = WebPushClient(
            caFile: settings.written.caFile, connectTo: settings.connectTo,
            policy: { [policy = settings.policy] in policy }, logger: host.logger)
        for (name, url) in probes {
            if let finding = await finding(name, url, identity, client, host) { findings.append(finding) }
        }
        await client.shutdown()
        return findings
    }

    /// Sends a message to a subscription that cannot exist, and judges the answer: only one about the sender is bad.
    private static func finding(
        _ name: String, _ url: String, _ identity: SenderIdentity, _ client: WebPushClient, _ host: PushServiceHost
    ) async -> Finding? {
        guard let request = try? request(url, identity) else { return nil }
        let origin = request.endpoint.origin
        switch await client.answer(to: request, now: host.now()) {
        case .success(let answer) where answer.refusesSender:
            return .failed(
                "webpush", "\(name) refuses the gateway's identity (\(answer.status) \(answer.reason))",
                because: "No browser that uses \(origin) gets a message; accepted ones are kept.",
                advice: "Set webpush.subject to an address with a real host, and this machine's clock by NTP.")
        case .success(let answer) where answer.acceptsSender:
            return .ok("webpush", "\(name): \(origin) accepts the gateway's identity (\(answer.status))")
        case .success(let answer):
            return .warning(
                "webpush", "\(name): \(origin) answered \(answer.status)",
                because: "This says nothing about the gateway's identity.", advice: "Try again in a few minutes.")
        case .failure(let error):
            return .failed(
                "webpush", "no answer from \(origin): \(error)",
                because: "No browser that uses it gets a message; accepted ones are kept.",
                advice: "Check the name server and the firewall: outgoing connections to port 443 must be open.")
        }
    }

    private static func request(_ url: String, _ identity: SenderIdentity) throws -> WebPushRequest {
        let id = Base64URL.encode(RandomBytes.generate(48))
        let endpoint = try WebPushEndpoint(url + id)
        let receiver = try ReceiverKeys(
            p256dh: Base64URL.encode(P256AgreementKey.generate().publicKey.bytes),
            auth: Base64URL.encode(RandomBytes.generate(ReceiverKeys.secretByteCount)))
        let body = try MessageEncryption.encrypt(
            Array("{}".utf8), for: receiver, senderKey: .generate(),
            salt: RandomBytes.generate(EncryptedContent.saltByteCount))
        let fields = [
            (name: "content-encoding", value: "aes128gcm"), (name: "content-type", value: "application/octet-stream"),
            (name: "ttl", value: "0"), (name: "urgency", value: "normal"), (name: "user-agent", value: "pushgate"),
        ]
        return WebPushRequest(
            endpoint: endpoint, headers: WebPushRequestHeaders(fields, for: endpoint),
            authorization: try identity.authorization(for: endpoint.origin), body: body, deadline: .seconds(10))
    }
}
