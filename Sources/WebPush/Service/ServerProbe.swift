import Cryptography
import Messaging

/// A question of the doctor to a push service: a message to a subscription that cannot exist. The answer shows if the
/// service accepts the gateway's identity.
struct ServerProbe: Sendable {
    /// The services of which browsers may register at any time.
    private static let services = [
        (name: "Apple", origin: "https://web.push.apple.com"), (name: "Google", origin: "https://fcm.googleapis.com"),
        (name: "Mozilla", origin: "https://updates.push.services.mozilla.com"),
    ]
    /// The time that a server has to answer.
    private static let patience = Duration.seconds(10)

    /// The name of the service; `nil` for a server that only registrations name.
    let name: String?
    /// An endpoint of the server.
    let server: WebPushEndpoint
    /// The number of registrations that lead to the server.
    let registrations: Int

    /// Returns the questions to the known services, and to the servers that registrations lead to.
    static func all(in survey: SubscriptionSurvey?) -> [ServerProbe] {
        let used = (survey?.servers ?? []).compactMap { server in
            (try? WebPushEndpoint(server.name)).map { (endpoint: $0, registrations: server.registrations) }
        }
        let known = services.compactMap { service -> ServerProbe? in
            guard let server = try? WebPushEndpoint(service.origin) else { return nil }
            let count = used.first { $0.endpoint.origin == server.origin }?.registrations ?? 0
            return ServerProbe(name: service.name, server: server, registrations: count)
        }
        let others = used.filter { one in !known.contains { $0.server.origin == one.endpoint.origin } }
        return known + others.map { ServerProbe(name: nil, server: $0.endpoint, registrations: $0.registrations) }
    }

    /// Asks the server, and judges the answer: only one about the sender is bad.
    func finding(
        _ identity: SenderIdentity, _ policy: EndpointPolicy, _ client: WebPushClient, _ host: PushServiceHost
    ) async -> Finding {
        do throws(SubscriptionError) {
            try policy.check(server)
        } catch {
            return .warning(
                "webpush", "\(place) is not allowed: it \(error.requirement)\(use)",
                because: "No message goes there.",
                advice: "Name it in webpush.allowedHosts or webpush.allowedPorts, if it is yours.")
        }
        guard let request = try? request(identity) else {
            return .failed(
                "webpush", "cannot make a message for \(place)", because: "No message goes there.",
                advice: "Check the key of Web Push.")
        }
        switch await client.answer(to: request, now: host.now()) {
        case .success(let answer): return finding(answer)
        case .failure(let error): return finding(error)
        }
    }

    private func finding(_ answer: WebPushAnswer) -> Finding {
        guard server.isOfKnownService else { return findingOfOtherServer(answer) }
        if answer.refusesSender {
            return .failed(
                "webpush", "\(place) refuses the gateway's identity (\(answer.status) \(answer.reason))\(use)",
                because: "No browser that uses it gets a message; accepted ones are kept.",
                advice: "Set webpush.subject to an address with a real host, and this machine's clock by NTP.")
        }
        guard answer.acceptsSender else { return unclear(answer) }
        return .ok("webpush", "\(place) accepts the gateway's identity (\(answer.status))\(use)")
    }

    /// Judges the answer of a server of which nothing is known: any answer to what does not exist may be right.
    private func findingOfOtherServer(_ answer: WebPushAnswer) -> Finding {
        guard answer.acceptsSender || answer.refusesSender || answer.status == 405 || answer.status == 507 else {
            return unclear(answer)
        }
        return .ok("webpush", "\(place) answers (\(answer.status))\(use)")
    }

    private func unclear(_ answer: WebPushAnswer) -> Finding {
        .warning(
            "webpush", "\(place) answered \(answer.status)\(use)",
            because: "This says nothing about the gateway's identity.", advice: "Try again in a few minutes.")
    }

    private func finding(_ error: WebPushRequestError) -> Finding {
        let way = "Check the name server and the firewall: outgoing connections to port \(server.port) must be open."
        guard name == nil else {
            return .failed(
                "webpush", "no answer from \(place): \(error)\(use)",
                because: "No browser that uses it gets a message; accepted ones are kept.", advice: way)
        }
        return .warning(
            "webpush", "no answer from \(place): \(error)\(use)",
            because: "No message gets there; accepted ones are kept.",
            advice: "\(way) If strangers may register, they may have made up the server.")
    }

    private var place: String { name.map { "\($0): \(server.origin)" } ?? server.origin }

    private var use: String {
        switch registrations {
        case ...0: ""
        case 1: "; 1 registration"
        default: "; \(registrations) registrations"
        }
    }

    private func request(_ identity: SenderIdentity) throws -> WebPushRequest {
        let id = Base64URL.encode(RandomBytes.generate(48))
        let endpoint = try WebPushEndpoint(server.origin + server.profile.endpointPath + id)
        let receiver = try ReceiverKeys(
            p256dh: Base64URL.encode(P256AgreementKey.generate().publicKey.bytes),
            auth: Base64URL.encode(RandomBytes.generate(ReceiverKeys.secretByteCount)))
        let body = try MessageEncryption.encrypt(
            Array("{}".utf8), for: receiver, senderKey: .generate(),
            salt: RandomBytes.generate(EncryptedContent.saltByteCount))
        let headers = WebPushHeaders(ttl: 0, urgency: "normal")
        return WebPushRequest(
            endpoint: endpoint, headers: WebPushRequestHeaders(headers, for: endpoint),
            authorization: try identity.authorization(for: endpoint.origin), body: body, deadline: Self.patience)
    }
}

extension ServiceProfile {
    /// The beginning of the service's endpoints behind their origin.
    fileprivate var endpointPath: String {
        switch self {
        case .google: "/fcm/send/"
        case .mozilla: "/wpush/v2/"
        case .microsoft: "/w/?token="
        case .apple, .ntfy, .plain: "/"
        }
    }
}
