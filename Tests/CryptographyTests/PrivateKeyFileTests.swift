import Cryptography
import Testing

/// Files that people put in the place of Apple's `.p8`, made by the `openssl` tool.
@Suite("Private key files", .enabled(if: OpenSSLTool.isPresent, "needs the openssl tool"))
struct PrivateKeyFileTests {
    @Test("A .p8 file in Apple's form is read, and its public half equals the output of openssl")
    func appleStyle() throws {
        let pem = try OpenSSLTool.run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        let publicPEM = try OpenSSLTool.run("pkey", "-in", "AuthKey.p8", "-pubout", files: ["AuthKey.p8": pem])
        #expect(try ES256PrivateKey(pem: pem).publicKey.pem == publicPEM)
        #expect(try ES256PrivateKey(pem: pem).pem == pem)
    }

    @Test("Carriage returns, text before the key and a missing final newline do not prevent reading a key")
    func untidyText() throws {
        let pem = try ES256PrivateKey.generate().pem
        let untidy = "Key for the app\r\n" + pem.split(separator: "\n").joined(separator: "\r\n")
        #expect(try ES256PrivateKey(pem: untidy).pem == pem)
    }

    @Test("A key with a byte order mark, on one line, in quotes, or with \\n as text is read")
    func repairs() throws {
        let key = try ES256PrivateKey.generate()
        let (pem, lines) = (key.pem, key.pem.split(separator: "\n"))
        for text in [
            "\u{FEFF}" + pem, lines.joined(), lines.joined(separator: " "), lines.joined(separator: "\\n"),
            lines.joined(separator: "\\r\\n") + "\\r\\n", "\u{FEFF}\"" + lines.joined(separator: "\\n") + "\\n\"",
            "  " + lines.joined(separator: "\n  "), lines.joined(separator: "\n\n"),
        ] {
            #expect((try? ES256PrivateKey(pem: text))?.pem == pem, "\(text.prefix(40))")
            let publicText = text.replacing(pem, with: key.publicKey.pem)
            if publicText != text {
                #expect((try? ES256PublicKey(pem: publicText))?.pem == key.publicKey.pem)
            }
        }
        // Any other text is still refused.
        for text in ["-----BEGIN PRIVATE KEY-----\\nAAAA\\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"] {
            #expect(throws: CryptographyError.self) { try ES256PrivateKey(pem: text) }
        }
    }

    @Test("A private key in the older SEC 1 format is read")
    func sec1() throws {
        let pem = try OpenSSLTool.run("ecparam", "-name", "prime256v1", "-genkey", "-noout")
        #expect(pem.contains("BEGIN EC PRIVATE KEY"))
        #expect(try ES256PrivateKey(pem: pem).pem.contains("BEGIN PRIVATE KEY"))
    }

    @Test("ES256 refuses an RSA key with an error that names RSA")
    func rsa() throws {
        let pem = try OpenSSLTool.run("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
        #expect(
            refusal(of: pem)
                == "could not read the private key: it is a key of type RSA, not an elliptic-curve key on P-256")
    }

    @Test("ES256 refuses a key on another curve with an error that names the curve")
    func otherCurve() throws {
        let pem = try OpenSSLTool.run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384")
        #expect(refusal(of: pem) == "could not read the private key: its curve is secp384r1, not P-256 (prime256v1)")
    }

    @Test("An encrypted private key is refused without asking for a passphrase", arguments: ["pkcs8", "sec1"])
    func encrypted(format: String) throws {
        let pem = try ES256PrivateKey.generate().pem
        let command = format == "pkcs8" ? ["pkcs8", "-topk8"] : ["ec", "-aes128"]
        let encrypted = try OpenSSLTool.run(
            command[0], command[1], "-in", "key.pem", "-passout", "pass:secret", files: ["key.pem": pem])
        #expect(
            refusal(of: encrypted) == "could not read the private key: it is encrypted; give it without a passphrase")
    }

    @Test("A public key, a certificate and a text that is not PEM are refused with different errors")
    func otherTexts() throws {
        let publicPEM = try ES256PrivateKey.generate().publicKey.pem
        #expect(refusal(of: publicPEM) == "could not read the private key: it is a public key")
        let certificate = try CertificateAuthority(commonName: "Test", validity: .seconds(60)).certificatePEM
        #expect(refusal(of: certificate) == "could not read the private key: it is PEM of another kind: CERTIFICATE")
        #expect(
            refusal(of: "{\"type\": \"service_account\"}")
                == "could not read the private key: it is not PEM: there is no -----BEGIN PRIVATE KEY-----")
        #expect(refusal(of: "")?.contains("it is not PEM") == true)
    }

    @Test("A damaged private key is refused with an error that repeats nothing of it")
    func damaged() throws {
        let lines = try ES256PrivateKey.generate().pem.split(separator: "\n")
        let damaged = [lines[0], lines[2], lines[1]] + lines[3...]
        let words = try #require(refusal(of: damaged.joined(separator: "\n")))
        #expect(words.hasPrefix("could not read the private key: "))
        for line in lines[1...3] { #expect(!words.contains(line)) }
    }

    private func refusal(of pem: String) -> String? {
        do {
            _ = try ES256PrivateKey(pem: pem)
            return nil
        } catch {
            return error.description
        }
    }
}
