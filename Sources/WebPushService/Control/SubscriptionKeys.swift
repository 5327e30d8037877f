import Cryptography
import JSON
import SimulatorTools

/// The keys of a subscription that no browser has made (RFC 8291 §2.1). A test that decrypts messages needs the private
/// one; the service needs none of them.
public struct SubscriptionKeys: Hashable, Sendable {
    /// The public key in base64url.
    public let p256dh: String
    /// The authentication secret of 16 bytes in base64url.
    public let auth: String
    /// The private key in unencrypted PKCS#8 PEM.
    public let privateKeyPEM: String

    /// Makes new keys.
    static func generate() throws(SimulatorSetupError) -> SubscriptionKeys {
        let key = try SimulatorSetupError.attempt { try ES256PrivateKey.generate() }
        guard let point = UncompressedPoint(key.publicKey) else {
            throw .credentials(cause: "a new key has no point")
        }
        return SubscriptionKeys(
            p256dh: point.base64URL, auth: Base64URL.encode(RandomBytes.generate(16)), privateKeyPEM: key.pem)
    }
}

/// JSON of subscriptions, at the control address.
extension Subscription {
    /// The subscription without its keys, which only the browser has.
    var json: JSONValue {
        [
            "token": .string(token), "service": .string(service.rawValue), "endpoint": .string(endpoint),
            "application_server_key": applicationServerKey.map(JSONValue.string) ?? .null,
            "maximum_body": JSONValue(maximumBody),
        ]
    }

    /// Returns the subscription as `PushSubscription.toJSON()` has it in a browser, with the private key and the token.
    func json(_ keys: SubscriptionKeys) -> JSONValue {
        [
            "endpoint": .string(endpoint), "expirationTime": nil,
            "keys": ["p256dh": .string(keys.p256dh), "auth": .string(keys.auth)],
            "private_key": .string(keys.privateKeyPEM), "token": .string(token),
        ]
    }
}

/// The body of `POST /subscriptions`.
struct SubscriptionOrder: Hashable, Sendable {
    let service: PushServiceProfile
    let applicationServerKey: String?
    let maximumBody: Int

    init(_ object: JSONObject) throws(ControlError) {
        let object = try object.checked(
            "the subscription", required: ["service"], optional: ["application_server_key", "maximum_body"])
        guard let service = PushServiceProfile(rawValue: try object.value("service").text("service")) else {
            let all = PushServiceProfile.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("service is none of \(all)")
        }
        self.service = service
        applicationServerKey = try object.value("application_server_key").textOrNull("application_server_key")
        if let key = applicationServerKey, UncompressedPoint(base64URL: key)?.verifyingKey() == nil {
            throw .badRequest("application_server_key is no public key on P-256: 65 bytes in base64url")
        }
        let largest = PushRequest.largestBody
        maximumBody = try object["maximum_body"]?.number("maximum_body", in: 1...largest) ?? largest
    }
}
