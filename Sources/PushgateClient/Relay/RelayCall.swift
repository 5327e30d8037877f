import Foundation

/// A call to a relay, before it is signed.
struct RelayCall: Sendable {
    static let addresses = "relay/v1/addresses"

    let method: String
    /// The path, relative to the relay's base URL.
    let path: String
    let body: Data

    init(_ method: String, _ path: String, body: Data = Data()) {
        self.method = method
        self.path = path
        self.body = body
    }

    /// Returns the request, signed for a time.
    ///
    /// The signed path begins at `/relay`: a path before it is the relay's proxy's.
    ///
    /// - Parameter time: The relay's time in seconds since 1970.
    func signed(
        by keys: RelayKeys, _ cryptography: any RelayCryptography, to relay: GatewayURL, at time: Int64
    ) throws -> GatewayRequest {
        let digest = HexadecimalText.lowercase(SHA256Digest.bytes(of: Array(body)))
        let text = "pushgate-relay-v1\n\(method)\n/\(path)\n\(time)\n\(digest)"
        let signature = try cryptography.signature(for: Data(text.utf8), by: keys.signing)
        var headerFields = [
            "Relay-Key": Base64URLText.encode(try cryptography.publicKey(of: keys.signing)),
            "Relay-Time": "\(time)", "Relay-Signature": Base64URLText.encode(signature),
        ]
        if !body.isEmpty { headerFields["Content-Type"] = "application/json" }
        return GatewayRequest(method: method, url: relay.function(path), headerFields: headerFields, body: body)
    }
}

/// The answers of a relay.
enum RelayAnswer {
    struct Registration: Decodable { let address: String }

    struct Address: Decodable {
        struct Secret: Decodable { let id: String }

        let state: String
        let secrets: [Secret]?
    }

    struct NewSecret: Decodable {
        let id: String
        let sendSecret: String

        private enum CodingKeys: String, CodingKey {
            case id
            case sendSecret = "send_secret"
        }
    }

    /// The members of an error.
    struct Failure: Decodable {
        let error: String
        let message: String?
        /// The relay's time in seconds since 1970, if the request's is too far from it.
        let time: Int64?
    }
}

extension RelayError {
    /// The greatest number of characters of a relay's reason.
    private static let longestMessage = 300

    /// Creates the error for an answer; `nil` for any 2xx.
    init?(_ response: GatewayResponse, now: Date) {
        let failure = try? JSONDecoder().decode(RelayAnswer.Failure.self, from: response.body)
        let pause = response.retryAfter.flatMap { RetryAfterValue.duration($0, now: now) }
        switch (response.status, failure?.error) {
        case (200..<300, _): return nil
        case (400, "invalid"?), (413, "invalid"?), (415, "invalid"?):
            self = .invalidRequest(message: failure?.message.map { String($0.prefix(Self.longestMessage)) })
        case (400, _): self = .invalidRequest(message: nil)
        case (401, _): self = .unauthorized
        case (403, "not_admitted"?): self = .notAdmitted
        case (404, "unknown"?): self = .unknownAddress
        case (429, _), (500..., _): self = .later(retryAfter: pause)
        default: self = .unexpectedAnswer(status: response.status)
        }
    }
}
