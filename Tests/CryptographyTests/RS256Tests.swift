import Cryptography
import Testing

@Suite("RS256")
struct RS256Tests {
    let message = Array("header.claims".utf8)

    @Test("RFC 7515's example is signed to the byte, and accepted (appendix A.2)")
    func jsonWebSignatureExample() throws {
        let key = try RS256PrivateKey(pem: Self.examplePEM)
        let signature = try #require(Base64URL.decode(Self.exampleSignature))
        #expect(try key.signature(for: Self.exampleInput.utf8) == signature)
        #expect(key.publicKey.isValid(signature, for: Self.exampleInput.utf8))
        #expect(!key.publicKey.isValid(signature, for: Self.exampleInput.utf8.dropLast()))
        #expect(key.pem == Self.examplePEM)
    }

    @Test("what a key signs, its public half accepts")
    func roundTrip() throws {
        let key = try RS256PrivateKey.generate()
        #expect(try key.signature(for: message).count == 256)
        #expect(try key.publicKey.isValid(key.signature(for: message), for: message))
        #expect(try key.publicKey.isValid(key.signature(for: []), for: []))
    }

    @Test("a changed message, a changed signature and another key are refused")
    func tampering() throws {
        let key = try RS256PrivateKey(pem: Self.examplePEM)
        let signature = try key.signature(for: message)
        #expect(!key.publicKey.isValid(signature, for: message + [0]))
        #expect(try !RS256PrivateKey.generate().publicKey.isValid(signature, for: message))
        for index in [0, 127, 128, 255] {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.publicKey.isValid(changed, for: message))
        }
    }

    @Test("a signature of another length, or of zeros, is refused")
    func malformedSignatures() throws {
        let key = try RS256PrivateKey(pem: Self.examplePEM)
        let signature = try key.signature(for: message)
        #expect(!key.publicKey.isValid([], for: message))
        #expect(!key.publicKey.isValid(Array(signature.dropLast()), for: message))
        #expect(!key.publicKey.isValid(signature + [0], for: message))
        #expect(!key.publicKey.isValid([UInt8](repeating: 0, count: 256), for: message))
        #expect(!key.publicKey.isValid([UInt8](repeating: 0xFF, count: 256), for: message))
    }

    @Test("keys survive being written and read")
    func keysRoundTrip() throws {
        let key = try RS256PrivateKey.generate()
        let readAgain = try RS256PrivateKey(pem: key.pem)
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(readAgain.pem == key.pem)
        #expect(readAgain.publicKey.pem == key.publicKey.pem)
        #expect(try RS256PublicKey(pem: key.publicKey.pem).isValid(readAgain.signature(for: message), for: message))
    }

    @Test("a public key made from a private one does not contain the private half")
    func publicHalfOnly() throws {
        let publicKey = try RS256PublicKey(pem: Self.examplePEM)
        #expect(publicKey.pem.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
        #expect(!publicKey.pem.contains("PRIVATE"))
    }

    @Test("a key of the other algorithm is refused by name")
    func ellipticCurve() throws {
        let other = try ES256PrivateKey.generate()
        let reason = "it is a key of type EC, not an RSA key"
        #expect(throws: CryptographyError(operation: "read the private key", reason: reason)) {
            try RS256PrivateKey(pem: other.pem)
        }
        #expect(throws: CryptographyError(operation: "read the public key", reason: reason)) {
            try RS256PublicKey(pem: other.publicKey.pem)
        }
    }

    @Test("what is no private key is refused in words")
    func otherTexts() throws {
        let publicPEM = try RS256PublicKey(pem: Self.examplePEM).pem
        #expect(throws: CryptographyError(operation: "read the private key", reason: "it is a public key")) {
            try RS256PrivateKey(pem: publicPEM)
        }
        let noPEM = "it is not PEM: there is no -----BEGIN PRIVATE KEY-----"
        #expect(throws: CryptographyError(operation: "read the private key", reason: noPEM)) {
            try RS256PrivateKey(pem: "key")
        }
    }

    @Test("one key signs from many tasks at once")
    func concurrentSignatures() async throws {
        let key = try RS256PrivateKey(pem: Self.examplePEM)
        let valid = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    let message = Array("\(index)".utf8)
                    return try key.publicKey.isValid(key.signature(for: message), for: message)
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(valid == 64)
    }
}

/// What the `openssl` tool makes and says.
@Suite("RSA key files", .enabled(if: OpenSSLTool.isPresent, "needs the openssl tool"))
struct RSAKeyFileTests {
    @Test("a key of openssl's is read, and its public half and its signatures are what openssl says")
    func secondOpinion() throws {
        let pem = try OpenSSLTool.run("genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
        let key = try RS256PrivateKey(pem: pem)
        #expect(key.pem == pem)
        let files = ["key.pem": pem, "message": "header.claims"]
        #expect(try OpenSSLTool.run("pkey", "-in", "key.pem", "-pubout", files: files) == key.publicKey.pem)
        let signature = try OpenSSLTool.run("dgst", "-sha256", "-sign", "key.pem", "-hex", "message", files: files)
        let digits = try key.signature(for: "header.claims".utf8).hexadecimal
        #expect(signature.hasSuffix("= \(digits)\n"))
    }

    @Test("the older PKCS#1 format is read")
    func pkcs1() throws {
        let pem = try RS256PrivateKey.generate().pem
        let older = try OpenSSLTool.run("rsa", "-in", "key.pem", "-traditional", files: ["key.pem": pem])
        #expect(older.contains("BEGIN RSA PRIVATE KEY"))
        #expect(try RS256PrivateKey(pem: older).pem == pem)
    }

    @Test("a key too short for RS256 is refused with its length")
    func tooShort() throws {
        let pem = try OpenSSLTool.run("genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024")
        let reason = "it has 1024 bits; RS256 wants 2048 at least"
        #expect(throws: CryptographyError(operation: "read the private key", reason: reason)) {
            try RS256PrivateKey(pem: pem)
        }
    }

    @Test("a key for RSASSA-PSS, which is another algorithm, is refused")
    func pss() throws {
        let pem = try OpenSSLTool.run("genpkey", "-quiet", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048")
        let reason = "it is a key of type RSA-PSS, not an RSA key"
        #expect(throws: CryptographyError(operation: "read the private key", reason: reason)) {
            try RS256PrivateKey(pem: pem)
        }
    }
}
