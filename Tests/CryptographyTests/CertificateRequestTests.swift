import Cryptography
import Foundation
import Testing

@Suite("Requests for certificates, and the facts of certificates")
struct CertificateRequestTests {
    private func pem(_ label: String, _ der: [UInt8]) -> String {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
    }

    @Test(
        "A request has the names and a P-256 key, and OpenSSL finds its signature valid",
        .enabled(if: OpenSSLTool.isPresent))
    func request() throws {
        let request = try CertificateRequest(dnsNames: ["push.example.com", "a.example.org"])
        let files = ["r.pem": pem("CERTIFICATE REQUEST", request.der), "k.pem": request.privateKeyPEM]
        let text = try OpenSSLTool.run("req", "-in", "r.pem", "-noout", "-text", "-verify", files: files)
        #expect(text.contains("verify OK") && text.contains("Version: 1 (0x0)"))
        #expect(text.contains("DNS:push.example.com, DNS:a.example.org") && text.contains("NIST CURVE: P-256"))
        let requested = try OpenSSLTool.run("req", "-in", "r.pem", "-pubkey", "-noout", files: files)
        let owned = try OpenSSLTool.run("pkey", "-in", "k.pem", "-pubout", files: files)
        #expect(requested == owned)
    }

    @Test("A request without a name, or with one that is not ASCII, is refused", arguments: [[], ["bücher.example"]])
    func badNames(names: [String]) {
        #expect(throws: CryptographyError.self) { try CertificateRequest(dnsNames: names) }
    }

    @Test("The facts of a certificate are those that OpenSSL prints", .enabled(if: OpenSSLTool.isPresent))
    func facts() throws {
        let authority = try CertificateAuthority(commonName: "test", validity: .seconds(86_400))
        let issued = try authority.issue(
            commonName: "a", dnsNames: ["a.example"], ipAddresses: [], validity: .seconds(3_600))
        let facts = try CertificateFacts(pem: issued.certificatePEM)
        let text = try OpenSSLTool.run(
            "x509", "-in", "c.pem", "-noout", "-serial", "-ext", "authorityKeyIdentifier",
            files: ["c.pem": issued.certificatePEM])
        let serial = facts.serialNumber.drop { $0 == 0 }.hexadecimal.uppercased()
        #expect(text.contains("serial=\(serial)"))
        let identifier = try #require(facts.authorityKeyIdentifier).map { String(format: "%02X", $0) }
        #expect(text.contains(identifier.joined(separator: ":")))
        #expect(facts.notAfter - facts.notBefore == 3_600 + 300)
        #expect(abs(facts.notAfter - Int64(Date.now.timeIntervalSince1970) - 3_600) < 60)
        #expect(pem("CERTIFICATE", facts.der) == issued.certificatePEM)
    }

    @Test("A serial number with its highest bit set keeps the zero that DER puts before it")
    func serialNumber() throws {
        let authority = try CertificateAuthority(commonName: "test", validity: .seconds(86_400))
        let numbers = try (0..<32).map { _ in
            try CertificateFacts(
                pem: authority.issue(
                    commonName: "a", dnsNames: ["a.example"], ipAddresses: [], validity: .seconds(60)
                ).certificatePEM
            ).serialNumber
        }
        #expect(numbers.allSatisfy { $0[0] < 0x80 && (15...17).contains($0.count) })
        #expect(numbers.contains { $0[0] == 0 && $0[1] >= 0x80 })
    }

    @Test("The JSON Web Key and the thumbprint of RFC 7515's example are those of RFC 7638")
    func thumbprint() throws {
        // The key of RFC 7515 §A.3, as a SubjectPublicKeyInfo.
        let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        let key = try ES256PublicKey(pem: pem("PUBLIC KEY", prefix + x + y))
        let jwk =
            #"{"crv":"P-256","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
            + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
        #expect(try key.jwk() == jwk)
        #expect(try key.thumbprint() == Base64URL.encode(SHA256.digest(of: Array(jwk.utf8))))
    }
}
