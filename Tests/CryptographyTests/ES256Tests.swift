import Cryptography
import Testing

@Suite("ES256")
struct ES256Tests {
    /// About one r or s in 256 starts with a zero byte, which DER drops and JOSE keeps. 2,000 signatures contain
    /// dozens of them.
    @Test("An ES256 signature has 64 bytes even if r or s starts with zeros")
    func leadingZeros() throws {
        let key = try ES256PrivateKey.generate()
        var shortHalves = 0
        for index in 0..<2_000 {
            let message = Array("message \(index)".utf8)
            let signature = try key.signature(for: message)
            #expect(signature.count == 64)
            guard signature[0] == 0 || signature[32] == 0 else { continue }
            shortHalves += 1
            #expect(key.publicKey.isValid(signature, for: message))
        }
        #expect(shortHalves > 0)
    }

    @Test("ES256 accepts the example token of RFC 7515, appendix A.3")
    func jsonWebSignatureExample() throws {
        let key = try ES256PublicKey(
            pem: Self.subjectPublicKeyInfo(
                x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let input =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQog"
            + "Imh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let signature = try #require(
            Base64URL.decode(
                "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
        #expect(key.isValid(signature, for: Array(input.utf8)))
        #expect(!key.isValid(signature, for: Array(input.utf8.dropLast())))
    }

    /// The fixed DER of a P-256 SubjectPublicKeyInfo (RFC 5480 §2), then the uncompressed point.
    private static func subjectPublicKeyInfo(x: String, y: String) throws -> String {
        let header: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        let der = try header + #require(Base64URL.decode(x)) + #require(Base64URL.decode(y))
        let unpadded = Base64URL.encode(der).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - unpadded.count % 4) % 4)
        return "-----BEGIN PUBLIC KEY-----\n\(wrapped(unpadded + Array(padding)))-----END PUBLIC KEY-----\n"
    }

    private static func wrapped(_ characters: [Character]) -> String {
        stride(from: 0, to: characters.count, by: 64)
            .map { String(characters[$0..<min($0 + 64, characters.count)]) + "\n" }
            .joined()
    }
}
