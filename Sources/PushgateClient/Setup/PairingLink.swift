import Foundation

/// The link of `pushgate pair`, `https://push.example.com/try#CODE`, from a QR code or a message: the gateway's address
/// and a code that is good once and for ten minutes.
///
/// Its description does not contain the code.
public struct PairingLink: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The end of the address, before the code.
    private static let page = "/try"
    /// The greatest number of characters of a code with its hyphens.
    private static let longestCode = 64

    /// The gateway.
    public let gateway: GatewayURL
    /// The code.
    public let code: String

    /// Reads a link; `nil` for any other text.
    public init?(_ text: String) {
        let parts = text.trimmingBlanks().split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasSuffix(Self.page),
            let gateway = GatewayURL(String(parts[0].dropLast(Self.page.count)))
        else { return nil }
        self.init(gateway: gateway, code: String(parts[1]))
    }

    /// Takes a code that the user has typed, with or without hyphens; `nil` for a text that cannot be one.
    public init?(gateway: GatewayURL, code: String) {
        let code = code.trimmingBlanks()
        guard (1...Self.longestCode).contains(code.utf8.count),
            code.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || Base64URLText.isEncoded(String(UnicodeScalar($0))) })
        else { return nil }
        self.gateway = gateway
        self.code = code
    }

    /// Exchanges the code, which is used up then, for the right of this device to the agent's notifications. Store the
    /// pairing before anything else.
    ///
    /// - Parameter http: The sender of requests.
    /// - Throws: ``PushClientError/unknownCode`` if the code is not good, or no longer.
    public func pair(by http: any HTTPSending = URLSessionSender()) async throws(PushClientError) -> DevicePairing {
        let response: GatewayResponse
        do {
            response = try await http.send(
                GatewayRequest(
                    url: gateway.function("try/pair"), headerFields: ["Content-Type": "application/json"],
                    body: try JSONEncoder().encode(["code": code])))
        } catch {
            throw PushClientError(sending: error)
        }
        if let error = PushClientError(response, now: Date()) {
            throw error == .unexpectedAnswer(status: 404, code: "unknown_code") ? .unknownCode : error
        }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: response.body),
            let credential = PushSecret(answer.credential)
        else { throw .unexpectedAnswer(status: response.status, code: nil) }
        return DevicePairing(
            gateway: gateway, credential: credential, serverKey: answer.serverKey, cwd: answer.cwd,
            displayName: answer.displayName)
    }

    private struct Answer: Decodable {
        let credential: String
        let serverKey: String
        let cwd: String
        let displayName: String?

        private enum CodingKeys: String, CodingKey {
            case credential, cwd
            case serverKey = "server_key"
            case displayName = "agent_display_name"
        }
    }

    /// The gateway only, because the code is a secret as long as it is good.
    public var description: String { "a pairing link of \(gateway)" }
    /// An empty mirror, because the code is a secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
