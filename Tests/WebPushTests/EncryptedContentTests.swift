import Cryptography
import Testing

@testable import WebPush

@Suite("Encrypted content (RFC 8188)")
struct EncryptedContentTests {
    private let walrus = Array("I am the walrus".utf8)

    @Test("The example of RFC 8188, section 3.1, has the keys of the RFC")
    func keysOfTheExample() throws {
        let (secret, salt) = (try bytes("yqdlZ-tYemfogSmv7Ws5PQ"), try bytes("I1BsxtFttlv3u_Oo94xnmw"))
        #expect(
            Base64URL.encode(HKDFSHA256.extract(secret, salt: salt)) == "zyeH5phsIsgUyd4oiSEIy35x-gIi4aM7y0hCF8mwn9g")
        let keys = ContentKeys(secret: secret, salt: salt)
        #expect(Base64URL.encode(keys.key) == "_wniytB-ofscZDh4tbSjHw")
        #expect(Base64URL.encode(keys.nonce(ofRecord: 0)) == "Bcs8gkIRKLI8GeI8")
    }

    @Test("The example of RFC 8188, section 3.1, is encrypted and decrypted")
    func example() throws {
        let secret = try bytes("yqdlZ-tYemfogSmv7Ws5PQ")
        let body = try EncryptedContent.encrypt(
            walrus, padding: 0, secret: secret, salt: bytes("I1BsxtFttlv3u_Oo94xnmw"), keyID: [], recordSize: 4_096)
        #expect(
            Base64URL.encode(body)
                == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
        let content = try EncryptedContent.decrypt(body) { keyID throws(ContentError) in
            #expect(keyID.isEmpty)
            return secret
        }
        #expect(content == walrus)
    }

    @Test("The example of RFC 8188, section 3.2, with two records and padding, is decrypted")
    func records() throws {
        let content = try EncryptedContent.decrypt(Self.twoRecords()) { keyID throws(ContentError) in
            #expect(keyID == Array("a1".utf8))
            return Self.secretOfTwoRecords
        }
        #expect(content == walrus)
    }

    @Test("A body without its last record, and one with its records exchanged, is refused")
    func recordsOutOfPlace() throws {
        let body = try Self.twoRecords()
        let (header, first, last) = (body[..<23], body[23..<48], body[48...])
        #expect(throws: ContentError.delimiter) { try decrypt(Array(header + first)) }
        #expect(throws: ContentError.notAuthentic) { try decrypt(Array(header + last + first)) }
        #expect(throws: ContentError.notAuthentic) { try decrypt(Array(header)) }
    }

    @Test("A record after the last one is refused")
    func recordAfterTheLast() throws {
        let body = try EncryptedContent.encrypt(
            [1], padding: 0, secret: Self.secretOfTwoRecords, salt: Array(0..<16), keyID: [], recordSize: 18)
        #expect(try decrypt(body) == [1])
        #expect(throws: ContentError.delimiter) { try decrypt(body + [0]) }
    }

    @Test("A change of any byte of a record is noticed")
    func tampering() throws {
        let body = try Self.twoRecords()
        for index in 23..<body.count {
            var changed = body
            changed[index] ^= 0x40
            #expect(throws: ContentError.notAuthentic) { try decrypt(changed) }
        }
    }

    @Test("A body that ends within its header is refused", arguments: [0, 16, 20, 22])
    func truncatedHeaders(count: Int) throws {
        let body = try Self.twoRecords()
        #expect(throws: ContentError.truncatedHeader) { try decrypt(Array(body.prefix(count))) }
    }

    @Test("A record of at most 17 bytes has no content, and is refused", arguments: [0, 17])
    func recordSizes(size: UInt8) throws {
        var body = try Self.twoRecords()
        body.replaceSubrange(16..<20, with: [0, 0, 0, size])
        #expect(throws: ContentError.recordSize) { try decrypt(body) }
    }

    @Test("Content that does not fit a record, and a salt or an id of a wrong length, are refused")
    func lengths() {
        func encrypt(padding: Int = 0, salt: Int = 16, keyID: Int = 0, size: UInt32 = 32) throws {
            _ = try EncryptedContent.encrypt(
                walrus, padding: padding, secret: [1], salt: [UInt8](repeating: 1, count: salt),
                keyID: [UInt8](repeating: 1, count: keyID), recordSize: size)
        }
        #expect(throws: Never.self) { try encrypt() }
        #expect(throws: CryptographyError.self) { try encrypt(padding: 1) }
        #expect(throws: CryptographyError.self) { try encrypt(size: 31) }
        #expect(throws: CryptographyError.self) { try encrypt(salt: 15) }
        #expect(throws: Never.self) { try encrypt(keyID: 255) }
        #expect(throws: CryptographyError.self) { try encrypt(keyID: 256) }
    }

    @Test("Padding is removed, and may be longer than the content", arguments: [0, 1, 100])
    func padding(count: Int) throws {
        for content in [[], [0], [0, 0], walrus] as [[UInt8]] {
            let body = try EncryptedContent.encrypt(
                content, padding: count, secret: Self.secretOfTwoRecords, salt: Array(0..<16), keyID: [1],
                recordSize: 4_096)
            #expect(body.count == 22 + content.count + 1 + count + 16)
            #expect(try decrypt(body) == content)
        }
    }

    private static let secretOfTwoRecords: [UInt8] = Base64URL.decode("BO3ZVPxUlnLORbVGMpbT1Q") ?? []

    private static func twoRecords() throws -> [UInt8] {
        try #require(
            Base64URL.decode(
                "uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA"))
    }

    private func decrypt(_ body: [UInt8]) throws -> [UInt8] {
        try EncryptedContent.decrypt(body) { _ throws(ContentError) in Self.secretOfTwoRecords }
    }

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }
}
