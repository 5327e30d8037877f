package import Messaging

/// The meaning of what happened to a notification, in words for people, and what to do if it went wrong.
package struct Explanations: Sendable {
    private let table: PushServiceTable
    /// The meaning of every acceptance, if no notification leaves the gateway.
    private let inboxAcceptance: String?
    /// The reasons of the gateway and of all push services: one service may pass on the reason of another.
    private let reasons: [String: String]

    /// Collects the reasons of the gateway and of all services in the table. Of two texts for one reason the first
    /// counts.
    ///
    /// - Parameter isEmulator: `true` if no notification leaves the gateway, whatever its token is of.
    package init(_ table: PushServiceTable, isEmulator: Bool = false) {
        self.table = table
        inboxAcceptance = isEmulator ? table.types.first { !$0.reachesDevices }?.outcomes.acceptance : nil
        let outcomes = table.types.map { $0.outcomes }
        let requirements = outcomes.compactMap(\.requirement?.setting).joined(separator: ", ")
        var reasons = Self.reasons
        reasons["NoTransportForToken"] = "The gateway has no push service for this kind of token: \(requirements)."
        // A status means something else at each service.
        let words = outcomes.map { $0.reasons.filter { !$0.key.hasPrefix("HTTP") } }
        self.reasons = words.reduce(into: reasons) { $0.merge($1) { first, _ in first } }
    }

    /// Returns the meaning of an acceptance.
    package func acceptance(by transport: TransportName) -> String {
        inboxAcceptance ?? table.service(transport)?.outcomes.acceptance
            ?? "The push service “\(transport.rawValue)” accepted it. This gateway does not have the service any more."
    }

    /// Returns `false` if the notifications of a transport stay in the gateway.
    func reachesDevices(_ transport: TransportName) -> Bool { table.service(transport)?.reachesDevices ?? true }

    /// The meaning of a superseded notification.
    package static let superseded =
        "A newer message with the same collapse id replaced it before a push service accepted it, so it was not sent."

    /// Returns the meaning of a rejection or a failed attempt.
    ///
    /// - Parameters:
    ///   - reason: the push service's own word, or one of the gateway.
    ///   - transport: the transport to the push service.
    package func failure(_ code: MessagingErrorCode, reason: String, by transport: TransportName) -> String {
        // Google's codes may have a detail in parentheses.
        let word = String(reason.prefix { $0 != " " })
        let own = table.service(transport)?.outcomes
        return own?.reasons[word] ?? reasons[word] ?? own?.codes[code] ?? Self.codes[code]
            ?? "The push service gave no reason that this gateway knows."
    }

    /// The reason of a message whose time is over.
    static let expired = "Expired"

    /// The reasons of the gateway and of its clients for HTTP, for services without words of their own for them.
    private static let reasons: [String: String] = [
        expired: "The message's time was over before the push service took it.",
        "timedOut": "The push service did not answer in time. It is sent again.",
        "couldNotConnect": """
        There is no connection to the push service; the log has the cause. Outgoing connections to it must be open. It \
        is kept.
        """,
        "tls": """
        The push service's certificate is not trusted here: check ca-certificates, and that no program intercepts TLS. \
        It is kept.
        """,
        "connectionLost": "The connection broke. It is sent again, under the same id.",
        "AddressReplaced":
            "The device has registered another address since the message was accepted. It is sent again, to that.",
    ]

    /// For reasons that have no text of their own.
    private static let codes: [MessagingErrorCode: String] = [
        .registrationTokenNotRegistered: "The token is no longer valid. The app must register again.",
        .invalidRegistrationToken: "The push service does not know the token.",
        .invalidArgument: "The push service takes the message for invalid.",
        .mismatchedCredential: "The token belongs to another sender.",
        .messageRateExceeded: "Too many messages were sent. It is sent again later.",
        .thirdPartyAuthError:
            "The push service refuses the gateway's credentials; “pushgate doctor” helps. The notification is kept.",
        .serverUnavailable: "The push service cannot be reached, or says that it is not available. It is kept.",
        .internalError: "The push service reports an error of its own. It is sent again later.",
    ]
}
