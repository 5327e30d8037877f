import Cryptography
import Testing

@Suite("RS256")
struct RS256Tests {
    @Test("RS256 signs the example of RFC 7515, appendix A.2, byte for byte, and accepts it")
    func jsonWebSignatureExample() throws {
        let key = try RS256PrivateKey(pem: Self.examplePEM)
        let signature = try #require(Base64URL.decode(Self.exampleSignature))
        #expect(try key.signature(for: Self.exampleInput.utf8) == signature)
        #expect(key.publicKey.isValid(signature, for: Self.exampleInput.utf8))
        #expect(!key.publicKey.isValid(signature, for: Self.exampleInput.utf8.dropLast()))
        #expect(key.pem == Self.examplePEM)
    }

    @Test("RS256 refuses an elliptic-curve key with an error that names its type")
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

    @Test("RS256 refuses a public key and a text that is not PEM with an error that says so")
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
}

/// RSA keys made and checked by the `openssl` tool.
@Suite("RSA key files", .enabled(if: OpenSSLTool.isPresent, "needs the openssl tool"))
struct RSAKeyFileTests {
    @Test("An RSA key made by openssl gives the same public half and signatures as openssl")
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

    @Test("An RSA key in the older PKCS#1 format is read")
    func pkcs1() throws {
        let pem = try RS256PrivateKey.generate().pem
        let older = try OpenSSLTool.run("rsa", "-in", "key.pem", "-traditional", files: ["key.pem": pem])
        #expect(older.contains("BEGIN RSA PRIVATE KEY"))
        #expect(try RS256PrivateKey(pem: older).pem == pem)
    }

    @Test("An RSA key of 1024 bits is refused with an error that names its length")
    func tooShort() throws {
        let pem = try OpenSSLTool.run("genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024")
        let reason = "it has 1024 bits; RS256 requires at least 2048"
        #expect(throws: CryptographyError(operation: "read the private key", reason: reason)) {
            try RS256PrivateKey(pem: pem)
        }
    }

    @Test("An RSASSA-PSS key, which belongs to another algorithm, is refused")
    func pss() throws {
        let pem = try OpenSSLTool.run("genpkey", "-quiet", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048")
        let reason = "it is a key of type RSA-PSS, not an RSA key"
        #expect(throws: CryptographyError(operation: "read the private key", reason: reason)) {
            try RS256PrivateKey(pem: pem)
        }
    }
}
