import Cryptography
import JSON
import Messaging
import Testing

@testable import RelayTransport
@testable import WebPush

/// An app on a phone with an address at a relay, which opens what is sealed for it.
struct RelayPhone: Sendable {
    let address: String
    let sendSecret = Base64URL.encode(RandomBytes.generate(32))
    let collapseKey = RandomBytes.generate(32)
    private let key: P256AgreementKey
    private let auth = RandomBytes.generate(16)

    init(_ address: String = "relay:push.example.com/AbCdEfGhIjKlMnOpQrStUv") throws {
        self.address = address
        key = try .generate()
    }

    /// The address with its secrets, as the app registers it.
    var json: JSONValue {
        [
            "address": .string(address), "send_secret": .string(sendSecret),
            "p256dh": .string(Base64URL.encode(key.publicKey.bytes)), "auth": .string(Base64URL.encode(auth)),
            "collapse_key": .string(Base64URL.encode(collapseKey)),
        ]
    }

    /// The address that a registration has.
    func registered() throws -> PushAddress {
        let parts = RelayToken.parts(of: try #require(try RelayToken.text(of: json)))
        return PushAddress(transport: .relay, token: parts.token, attributes: parts.attributes)
    }

    /// Returns the plain text of a sealed one, and its size with the padding.
    func open(_ sealed: String) throws -> (json: JSONValue, size: Int) {
        let body = try #require(Base64URL.decode(sealed))
        let sender = try P256Point(Array(body[21..<86]))
        let secret = MessageEncryption.secret(
            of: try key.sharedSecret(with: sender), authenticationSecret: auth, receiver: key.publicKey,
            sender: sender)
        let keys = ContentKeys(secret: secret, salt: Array(body[..<16]))
        let record = try #require(try AES128GCM.open(Array(body[86...]), key: keys.key, nonce: keys.nonce))
        let end = try #require(record.lastIndex { $0 != 0 })
        #expect(record[end] == 2)
        return (try JSONValue(parsing: Array(record[..<end])), record.count - 1)
    }
}
