import Cryptography
import Testing

@testable import WebPush

@Suite("Message encryption (RFC 8291)")
struct MessageEncryptionTests {
    /// The values of RFC 8291, section 5 and appendix A.
    private enum Example {
        static let plaintext = "When I grow up, I want to be a watermelon"
        static let senderPublic =
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        static let senderPrivate = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        static let receiverPublic =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        static let receiverPrivate = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
        static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
        static let auth = "BTBZMqHH6r4Tts7J_aSIgg"
        static let sharedSecret = "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"
        static let authenticatedKey = "Snr3JMxaHVDXHWJn5wdC52WjpCtd2EIEGBykDcZW32k"
        static let inputKey = "S4lYMb_L0FxCeq0WhDx813KgSYqU26kOyzWUdsXYyrg"
        static let pseudorandomKey = "09_eUZGrsvxChDCGRCdkLiDXrReGOEVeSCdCcPBSJSc"
        static let contentKey = "oIhVW04MRdy2XN9CiKLxTg"
        static let nonce = "4h_95klXJ5E_qnoN"
        static let body =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6P"
            + "Bru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    }

    @Test("The keys of RFC 8291's example have the public halves of the RFC")
    func publicHalves() throws {
        #expect(Base64URL.encode(try senderKey().publicKey.bytes) == Example.senderPublic)
        #expect(Base64URL.encode(try receiverKey().publicKey.bytes) == Example.receiverPublic)
    }

    @Test("Each intermediate value is the one of RFC 8291, appendix A")
    func intermediateValues() throws {
        let (sender, receiver) = (try senderKey(), try receiverKey())
        let shared = try sender.sharedSecret(with: receiver.publicKey)
        #expect(Base64URL.encode(shared) == Example.sharedSecret)
        #expect(try receiver.sharedSecret(with: sender.publicKey) == shared)
        let auth = try bytes(Example.auth)
        #expect(Base64URL.encode(HKDFSHA256.extract(shared, salt: auth)) == Example.authenticatedKey)
        let secret = MessageEncryption.secret(
            of: shared, authenticationSecret: auth, receiver: receiver.publicKey, sender: sender.publicKey)
        #expect(Base64URL.encode(secret) == Example.inputKey)
        let salt = try bytes(Example.salt)
        #expect(Base64URL.encode(HKDFSHA256.extract(secret, salt: salt)) == Example.pseudorandomKey)
        let keys = ContentKeys(secret: secret, salt: salt)
        #expect(Base64URL.encode(keys.key) == Example.contentKey)
        #expect(Base64URL.encode(keys.nonce(ofRecord: 0)) == Example.nonce)
    }

    @Test("The example of RFC 8291, section 5, is encrypted to the body of the RFC")
    func encrypted() throws {
        let body = try MessageEncryption.encrypt(
            Array(Example.plaintext.utf8), for: receiver(), senderKey: senderKey(), salt: bytes(Example.salt))
        #expect(Base64URL.encode(body) == Example.body)
    }

    @Test("The example of RFC 8291, section 5, is decrypted")
    func decrypted() throws {
        let content = try MessageEncryption.decrypt(
            bytes(Example.body), with: receiverKey(), authenticationSecret: bytes(Example.auth))
        #expect(String(decoding: content, as: UTF8.self) == Example.plaintext)
    }

    @Test("A message of 3,993 bytes, padding included, has a body of 4,096; a longer one is refused")
    func longest() throws {
        #expect(MessageEncryption.maximumContentByteCount == 3_993)
        let content = [UInt8](repeating: 7, count: 3_993)
        for (count, padding) in [(3_993, 0), (3_992, 1), (0, 3_993)] {
            let body = try encrypt(Array(content.prefix(count)), padding: padding)
            #expect(body.count == 4_096)
            #expect(try decrypt(body) == Array(content.prefix(count)))
        }
        #expect(throws: CryptographyError.self) { try encrypt(content + [7], padding: 0) }
        #expect(throws: CryptographyError.self) { try encrypt(content, padding: 1) }
    }

    @Test("Messages of random lengths with random keys are read by their receiver alone")
    func roundTrips() throws {
        for count in [0, 1, 2, 100, 1_000, 3_993] {
            let content = RandomBytes.generate(count)
            let key = try P256AgreementKey.generate()
            let auth = RandomBytes.generate(16)
            let receiver = try ReceiverKeys(
                p256dh: Base64URL.encode(key.publicKey.bytes), auth: Base64URL.encode(auth))
            let body = try MessageEncryption.encrypt(
                content, for: receiver, senderKey: .generate(), salt: RandomBytes.generate(16))
            #expect(try MessageEncryption.decrypt(body, with: key, authenticationSecret: auth) == content)
            #expect(throws: ContentError.notAuthentic) {
                try MessageEncryption.decrypt(body, with: .generate(), authenticationSecret: auth)
            }
            #expect(throws: ContentError.notAuthentic) {
                try MessageEncryption.decrypt(body, with: key, authenticationSecret: Array(auth.reversed()))
            }
        }
    }

    @Test("A body whose key is no point on the curve is refused")
    func unknownKey() throws {
        var body = try bytes(Example.body)
        body[21 + 64] ^= 1
        #expect(throws: ContentError.unknownKey) { try decrypt(body) }
    }

    @Test(
        "Padding brings messages to one of four lengths, and leaves long ones alone",
        arguments: [
            (0, 512), (1, 512), (512, 512), (513, 1_024), (1_024, 1_024), (1_025, 2_048), (2_049, 2_800),
            (2_800, 2_800), (2_801, 2_801), (3_993, 3_993),
        ])
    func padding(count: Int, padded: Int) {
        #expect(count + Padding.buckets.byteCount(forContent: count) == padded)
        #expect(Padding.none.byteCount(forContent: count) == 0)
    }

    private func senderKey() throws -> P256AgreementKey {
        try P256AgreementKey(scalar: bytes(Example.senderPrivate))
    }

    private func receiverKey() throws -> P256AgreementKey {
        try P256AgreementKey(scalar: bytes(Example.receiverPrivate))
    }

    private func receiver() throws -> ReceiverKeys {
        try ReceiverKeys(p256dh: Example.receiverPublic, auth: Example.auth)
    }

    private func encrypt(_ content: [UInt8], padding: Int) throws -> [UInt8] {
        try MessageEncryption.encrypt(
            content, padding: padding, for: receiver(), senderKey: .generate(), salt: RandomBytes.generate(16))
    }

    private func decrypt(_ body: [UInt8]) throws -> [UInt8] {
        try MessageEncryption.decrypt(body, with: receiverKey(), authenticationSecret: bytes(Example.auth))
    }

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }
}
