import Cryptography
import JSON

@testable import WebPushService

/// A valid request to a push service, which a test changes in one place.
struct SamplePush: Sendable {
    /// The time of the validation, in seconds since 1970.
    static let now: Int64 = 1_800_000_000
    static let token = "gAAAAABk3sample_token-0123456789"

    let key: ES256PrivateKey

    init() throws { key = try .generate() }

    /// The application server key in base64url.
    var publicKey: String { get throws { try Self.point(of: key).base64URL } }

    static func point(of key: ES256PrivateKey) throws -> UncompressedPoint {
        struct Missing: Error {}
        guard let point = UncompressedPoint(key.publicKey) else { throw Missing() }
        return point
    }

    /// Returns a subscription at a service, for this sender's key alone.
    func subscription(
        _ service: PushServiceProfile, isRestricted: Bool = true, maximumBody: Int = PushRequest.largestBody
    ) throws -> Subscription {
        let host = service.endpointHost ?? "push.example.net"
        let publicKey = try publicKey
        return Subscription(
            token: Self.token, service: service,
            endpoint: "https://" + host
                + EndpointPath.path(service, token: Self.token, isRestricted: isRestricted),
            applicationServerKey: isRestricted ? publicKey : nil, maximumBody: maximumBody)
    }

    /// Returns an `authorization` value, with each part replaceable by an invalid one.
    func authorization(
        audience: JSONValue, expiration: JSONValue = .integer(Self.now + 3_600),
        subject: JSONValue? = "mailto:push@example.com", algorithm: String = "ES256", key: ES256PrivateKey? = nil
    ) throws -> String {
        var claims: JSONObject = ["aud": audience, "exp": expiration]
        claims["sub"] = subject
        let header: JSONValue = ["typ": "JWT", "alg": .string(algorithm)]
        let text = Base64URL.encode(header.serialized) + "." + Base64URL.encode(JSONValue.object(claims).serialized)
        let signature = try (key ?? self.key).signature(for: text.utf8)
        let publicKey = try publicKey
        return "vapid t=\(text).\(Base64URL.encode(signature)), k=\(publicKey)"
    }

    /// Returns an encrypted body, as far as a service can see it.
    ///
    /// - Parameter recordLength: The length of the encrypted record.
    func body(recordLength: Int = 58, recordSize: UInt32 = 4_096) throws -> [UInt8] {
        var body = [UInt8](repeating: 7, count: 16)
        withUnsafeBytes(of: recordSize.bigEndian) { body.append(contentsOf: $0) }
        body.append(65)
        body += try Self.point(of: key).bytes
        body += [UInt8](repeating: 9, count: recordLength)
        return body
    }

    /// Returns the request to a subscription, with some header fields replaced, or removed (`nil`).
    func request(
        to subscription: Subscription, _ changes: [String: String?] = [:], body: [UInt8]? = nil
    ) throws -> PushRequest {
        var headers: [String: String?] = [
            "ttl": "60", "urgency": "high", "topic": "run-42", "content-encoding": "aes128gcm",
            "authorization": try authorization(audience: .string(subscription.origin)),
        ]
        if subscription.service == .microsoft { headers["x-wns-cache-policy"] = "cache" }
        headers.merge(changes) { $1 }
        let path = subscription.endpoint.dropFirst(subscription.origin.count)
        return PushRequest(
            authority: String(subscription.origin.dropFirst("https://".count)), path: String(path),
            headers: headers.compactMap { name, value in value.map { (name, $0) } }, body: try body ?? self.body())
    }

    func verdict(
        on request: PushRequest, for subscription: Subscription, rules: PushRules = PushRules()
    ) -> PushVerdict {
        var validator = PushRequestValidator(rules: rules)
        return validator.validate(request, now: Self.now) { token in
            token == subscription.token ? .active(subscription) : .unknown
        }
    }

    /// Returns the verdict on a request to a subscription at a service, with some header fields replaced or removed.
    func verdict(
        _ service: PushServiceProfile, _ changes: [String: String?] = [:], body: [UInt8]? = nil,
        rules: PushRules = PushRules()
    ) throws -> PushVerdict {
        let subscription = try subscription(service)
        return verdict(on: try request(to: subscription, changes, body: body), for: subscription, rules: rules)
    }
}
