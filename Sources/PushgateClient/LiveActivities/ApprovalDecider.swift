import Foundation

/// The sender of a person's decision about an approval, for the app intents behind the buttons of a card.
///
/// The system runs the intent in the app's process, also while the phone is locked: keep the key where it can be read
/// then. The gateway takes the first decision, until the approval expires.
public struct ApprovalDecider: Sendable, CustomStringConvertible, CustomReflectable {
    /// A decision.
    public enum Decision: String, Codable, Hashable, Sendable, CaseIterable {
        case approve, deny
    }

    /// The gateway's answer to a decision.
    public enum Answer: Hashable, Sendable {
        /// The decision counts. The cards of all phones change.
        case taken
        /// Somebody has decided otherwise, or the run's server goes on without a decision.
        case tooLate
        /// The approval has expired.
        case expired
        /// The gateway does not know the approval: it is of another gateway, or was removed.
        case unknown
    }

    private let gateway: GatewayURL
    private let key: String
    private let http: any HTTPSending

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - gateway: The gateway with the runs.
    ///   - key: The app's key for runs.
    ///   - http: The sender of requests.
    public init(gateway: GatewayURL, key: String, http: any HTTPSending = URLSessionSender()) {
        self.gateway = gateway
        self.key = key
        self.http = http
    }

    /// Sends a decision. After an error the same one may be sent again: it counts once.
    ///
    /// - Throws: ``PushClientError`` if the gateway cannot be reached, or refuses the key.
    public func decide(_ decision: Decision, on approval: RunCardState.Approval) async throws(PushClientError) -> Answer
    {
        try await decide(decision, onApproval: approval.id)
    }

    /// Sends a decision, as ``decide(_:on:)``, about the approval with an id.
    public func decide(_ decision: Decision, onApproval id: String) async throws(PushClientError) -> Answer {
        guard let request = request(decision, id) else { return .unknown }
        let response: GatewayResponse
        do {
            response = try await http.send(request)
        } catch {
            throw PushClientError(sending: error)
        }
        switch response.status {
        case 404: return .unknown
        case 409: return .tooLate
        case 410: return .expired
        default: break
        }
        if let error = PushClientError(response, now: Date()) { throw error }
        return .taken
    }

    private func request(_ decision: Decision, _ id: String) -> GatewayRequest? {
        guard let name = id.addingPercentEncoding(withAllowedCharacters: Self.plain), !name.isEmpty,
            let url = URL(string: "\(gateway.text)/api/approvals/\(name)"),
            let body = try? JSONEncoder().encode(["decision": decision.rawValue])
        else { return nil }
        return GatewayRequest(
            url: url,
            headerFields: ["Authorization": "Bearer \(key)", "Content-Type": "application/json"], body: body)
    }

    /// The characters that a segment of a path has as they are.
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~")

    /// The gateway only, because the key is a secret.
    public var description: String { "decisions for \(gateway)" }
    /// A mirror with the gateway only.
    public var customMirror: Mirror { Mirror(self, children: ["gateway": gateway.text]) }
}
