import Cryptography
import Testing

@Suite("Certificate authority", .enabled(if: OpenSSLTool.isPresent, "needs the openssl tool"))
struct CertificateAuthorityTests {
    let authority: CertificateAuthority
    let server: IssuedCertificate

    init() throws {
        authority = try CertificateAuthority(commonName: "Test authority", validity: .seconds(86_400 * 30))
        server = try authority.issue(
            commonName: "push.example", dnsNames: ["push.example", "*.push.example"],
            ipAddresses: ["127.0.0.1", "::1"],
            validity: .seconds(3_600))
    }

    private var files: [String: String] {
        ["ca.pem": authority.certificatePEM, "server.pem": server.certificatePEM, "key.pem": server.privateKeyPEM]
    }

    @Test(
        "Openssl verifies the issued certificate for each of its names",
        arguments: [
            ("-verify_hostname", "push.example"), ("-verify_hostname", "a.push.example"), ("-verify_ip", "127.0.0.1"),
            ("-verify_ip", "::1"),
        ])
    func verifies(check: String, name: String) throws {
        let output = try verify(check, name)
        #expect(output == "server.pem: OK\n")
    }

    @Test(
        "Openssl refuses the issued certificate for any other name",
        arguments: [
            ("-verify_hostname", "example"), ("-verify_hostname", "a.b.push.example"), ("-verify_ip", "127.0.0.2"),
        ])
    func refusesOtherNames(check: String, name: String) {
        #expect(throws: OpenSSLTool.Failure.self) { try verify(check, name) }
    }

    @Test("An authority of the same name with another key does not verify the certificate")
    func refusesOtherAuthority() throws {
        let other = try CertificateAuthority(commonName: "Test authority", validity: .seconds(60))
        #expect(throws: OpenSSLTool.Failure.self) {
            try OpenSSLTool.run(
                "verify", "-CAfile", "ca.pem", "server.pem",
                files: ["ca.pem": other.certificatePEM, "server.pem": server.certificatePEM])
        }
    }

    @Test("The issued certificates carry the extensions that strict clients require")
    func extensions() throws {
        let own = try OpenSSLTool.run("x509", "-in", "ca.pem", "-noout", "-text", files: files)
        #expect(own.contains("Version: 3 (0x2)"))
        #expect(own.contains("X509v3 Basic Constraints: critical\n                CA:TRUE"))
        #expect(own.contains("Certificate Sign, CRL Sign"))
        let issued = try OpenSSLTool.run("x509", "-in", "server.pem", "-noout", "-text", files: files)
        #expect(issued.contains("Issuer: CN = Test authority") || issued.contains("Issuer: CN=Test authority"))
        #expect(issued.contains("X509v3 Basic Constraints: critical\n                CA:FALSE"))
        #expect(issued.contains("TLS Web Server Authentication"))
        #expect(issued.contains("X509v3 Authority Key Identifier"))
        #expect(issued.contains("DNS:push.example, DNS:*.push.example, IP Address:127.0.0.1"))
    }

    @Test("The issued private key belongs to the issued certificate")
    func keyMatches() throws {
        let fromKey = try OpenSSLTool.run("pkey", "-in", "key.pem", "-pubout", files: files)
        let fromCertificate = try OpenSSLTool.run("x509", "-in", "server.pem", "-noout", "-pubkey", files: files)
        #expect(fromKey == fromCertificate)
    }

    @Test("An issued certificate expires after its validity")
    func validity() throws {
        let half = try OpenSSLTool.run("x509", "-in", "server.pem", "-noout", "-checkend", "3000", files: files)
        #expect(half.contains("will not expire"))
        #expect(throws: OpenSSLTool.Failure.self) {
            try OpenSSLTool.run("x509", "-in", "server.pem", "-noout", "-checkend", "3700", files: files)
        }
    }

    @Test("Two issued certificates have different serial numbers")
    func serials() throws {
        let again = try authority.issue(
            commonName: "push.example", dnsNames: ["push.example"], ipAddresses: [], validity: .seconds(60))
        let first = try OpenSSLTool.run("x509", "-in", "server.pem", "-noout", "-serial", files: files)
        let second = try OpenSSLTool.run(
            "x509", "-in", "server.pem", "-noout", "-serial", files: ["server.pem": again.certificatePEM])
        #expect(first.hasPrefix("serial="))
        #expect(first != second)
    }

    @Test("Issuing a certificate for invalid names fails with an error that quotes the name")
    func badNames() {
        #expect(refusal(dnsNames: [], ipAddresses: []).contains("neither a DNS name nor an IP address"))
        #expect(refusal(dnsNames: ["a name"], ipAddresses: []).contains("\"a name\" is not a DNS name"))
        #expect(refusal(dnsNames: [], ipAddresses: ["localhost"]).contains("\"localhost\" is not an IP address"))
    }

    @Test("A comma in a DNS name does not add a second name to the certificate")
    func commaInName() throws {
        let odd = try authority.issue(
            commonName: "odd", dnsNames: ["a,DNS:evil.example"], ipAddresses: [], validity: .seconds(60))
        #expect(throws: OpenSSLTool.Failure.self) {
            try OpenSSLTool.run(
                "verify", "-CAfile", "ca.pem", "-verify_hostname", "evil.example", "odd.pem",
                files: ["ca.pem": authority.certificatePEM, "odd.pem": odd.certificatePEM])
        }
    }

    private func verify(_ check: String, _ name: String) throws -> String {
        try OpenSSLTool.run(
            "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", "ca.pem", check, name, "server.pem",
            files: files)
    }

    private func refusal(dnsNames: [String], ipAddresses: [String]) -> String {
        do {
            _ = try authority.issue(
                commonName: "bad", dnsNames: dnsNames, ipAddresses: ipAddresses, validity: .seconds(60))
            return ""
        } catch {
            return "\(error)"
        }
    }
}
