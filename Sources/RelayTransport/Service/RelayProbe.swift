import Cryptography
import Messaging

/// A question of the doctor to a relay: a message to an address that cannot exist. The answer shows if it is a relay.
struct RelayProbe: Sendable {
    /// The time that a relay has to answer.
    private static let patience = Duration.seconds(10)

    let server: RelayServer
    /// The number of registrations that lead to the relay.
    let registrations: Int

    /// Returns the questions to the relays that are named, and to those that registrations lead to.
    static func all(_ hosts: RelayHosts, in survey: SubscriptionSurvey?) -> [RelayProbe] {
        let used = (survey?.servers ?? []).compactMap { server -> RelayProbe? in
            guard server.name.utf8.starts(with: RelayAddress.prefix.utf8),
                let relay = try? RelayServer(server.name.dropFirst(RelayAddress.prefix.count))
            else { return nil }
            return RelayProbe(server: relay, registrations: server.registrations)
        }
        let named = hosts.servers.filter { server in !used.contains { $0.server == server } }
        return named.map { RelayProbe(server: $0, registrations: 0) } + used
    }

    /// Asks the relay, and judges the answer.
    func finding(_ hosts: RelayHosts, _ caller: some RelayCaller) async -> Finding {
        do throws(SubscriptionError) {
            try hosts.check(server)
        } catch {
            return .warning(
                "relay", "\(server) is not allowed: it \(error.requirement)\(use)",
                because: "No message goes there.", advice: "Name it in relay.hosts, if you trust it.")
        }
        guard let request = try? request() else {
            return .failed(
                "relay", "cannot seal a message for \(server)", because: "No message goes there.",
                advice: "Look for the cause in the log; memory may be short.")
        }
        switch await caller.answer(to: request) {
        case .success(let answer) where answer.isOfRelay:
            return .ok("relay", "\(server) answers as a relay (\(answer.status))\(use)")
        case .success(let answer):
            return .warning(
                "relay", "\(server) answered \(answer.status), and not as a relay\(use)",
                because: "Messages to its phones are kept, and not delivered.",
                advice: "Compare the name with the one that the app's author gives; try again in a few minutes.")
        case .failure(let error):
            return .warning(
                "relay", "no answer from \(server): \(error.description)\(use)",
                because: "Messages to its phones are kept, and not delivered.",
                advice: error.isUntrusted
                    ? "Check the relay's certificate: it must be for this host, and of an authority that this machine "
                        + "or relay.caFile trusts; and that port \(server.port) speaks TLS."
                    : "Check the name server and the firewall: outgoing connections to port \(server.port) must be "
                        + "open. The relay may be down.")
        }
    }

    private var use: String {
        switch registrations {
        case ...0: ""
        case 1: "; 1 registration"
        default: "; \(registrations) registrations"
        }
    }

    private func request() throws -> RelayRequest {
        let address = try RelayAddress(
            "\(RelayAddress.prefix)\(server)/\(Base64URL.encode(RandomBytes.generate(16)))")
        let keys = try RelayKeys([
            RelayField.sendSecret: Base64URL.encode(RandomBytes.generate(32)),
            RelayField.publicKey: Base64URL.encode(P256AgreementKey.generate().publicKey.bytes),
            RelayField.authenticationSecret: Base64URL.encode(RandomBytes.generate(16)),
            RelayField.collapseKey: Base64URL.encode(RandomBytes.generate(32)),
        ])
        let sealed = try SealedContent.seal(
            Array("{}".utf8), for: keys.receiver, senderKey: .generate(), salt: RandomBytes.generate(16))
        return RelayRequest(
            to: address, keys, id: Base64URL.encode(RandomBytes.generate(16)), sealed: sealed, collapseID: nil,
            .forNobody, deadline: Self.patience)
    }
}
