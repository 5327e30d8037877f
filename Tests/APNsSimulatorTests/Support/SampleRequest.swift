import APNsSimulator
import JSON

/// A valid request, which a test changes in one place.
struct SampleRequest: Sendable {
    /// The time of the validation, in seconds since 1970.
    static let now: Int64 = 1_800_000_000
    static let deviceToken = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
    static let id = "eabeae54-14a8-41e5-b60b-1697f925ec7b"

    let signingKey: SigningKey

    init() throws { signingKey = try SigningKey() }

    var rules: ValidationRules { ValidationRules(providerKeys: [signingKey.providerKey]) }

    /// Returns the request with some header fields replaced, or removed (`nil`).
    func request(
        _ changes: [String: String?] = [:], body: [UInt8] = Array(#"{"aps":{"alert":"Done"}}"#.utf8)
    ) throws -> APNsRequest {
        var headers: [String: String?] = [
            "authorization": try signingKey.authorization(issuedAt: .integer(Self.now - 60)),
            "apns-id": Self.id, "apns-topic": "com.example.app", "apns-push-type": "alert", "apns-priority": "10",
            "apns-expiration": "0", "apns-collapse-id": "run-42", "content-type": "application/json",
        ]
        headers.merge(changes) { $1 }
        return APNsRequest(
            method: "POST", path: "/3/device/" + Self.deviceToken,
            headers: headers.compactMap { name, value in value.map { (name, $0) } },
            body: body)
    }

    func verdict(on request: APNsRequest, rules: ValidationRules? = nil) -> Verdict {
        var validator = RequestValidator(rules: rules ?? self.rules)
        return validator.validate(request, now: Self.now)
    }

    func verdict(_ changes: [String: String?], body: [UInt8], rules: ValidationRules? = nil) throws -> Verdict {
        verdict(on: try request(changes, body: body), rules: rules)
    }

    func verdict(_ changes: [String: String?], rules: ValidationRules? = nil) throws -> Verdict {
        verdict(on: try request(changes), rules: rules)
    }
}
