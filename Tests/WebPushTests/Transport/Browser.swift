import Cryptography
import JSON
import Messaging
import Testing

@testable import WebPush

/// A browser with one subscription, which reads its messages.
struct Browser: Sendable {
    let endpoint: String
    private let key: P256AgreementKey
    private let auth: [UInt8]

    init(_ endpoint: String) throws {
        self.endpoint = endpoint
        key = try .generate()
        auth = RandomBytes.generate(16)
    }

    /// The address that a registration of the subscription has.
    func address() throws -> PushAddress {
        let subscription = WebPushSubscription(
            endpoint: try WebPushEndpoint(endpoint),
            keys: try ReceiverKeys(p256dh: Base64URL.encode(key.publicKey.bytes), auth: Base64URL.encode(auth)))
        let parts = SubscriptionToken.parts(of: SubscriptionToken.text(of: subscription))
        return PushAddress(transport: .webPush, token: parts.token, attributes: parts.attributes)
    }

    /// Returns the message of a request's body.
    func message(_ body: [UInt8]) throws -> JSONValue {
        try JSONValue(parsing: MessageEncryption.decrypt(body, with: key, authenticationSecret: auth))
    }
}
