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
        "openssl verifies the issued certificate for each of its names",
        arguments: [
            ("-verify_hostname", "push.example"), ("-verify_hostname", "a.push.example"), ("-verify_ip", "127.0.0.1"),
            ("-verify_ip", "::1"),
        ])
    func verifies(check: String, name: String) throws {
        let output = try verify(check, name)
        #expect(output == "server.pem: OK\n")
    }

    @Test(
        "openssl refuses it for any other name",
        arguments: [
            ("-verify_hostname", "example"), ("-verify_hostname", "a.b.push.example"), ("-verify_ip", "127.0.0.2"),
        ])
    func refusesOtherNames(check: String, name: String) {
        #expect(throws: OpenSSLTool.Failure.self) { try verify(check, name) }
    }

    @Test("an authority of the same name but another key does not vouch for it")
    func refusesOtherAuthority() throws {
        let other = try CertificateAuthority(commonName: "Test authority", validity: .seconds(60))
        #expect(throws: OpenSSLTool.Failure.self) {
            try OpenSSLTool.run(
                "verify", "-CAfile", "ca.pem", "server.pem",
                files: ["ca.pem": other.certificatePEM, "server.pem": server.certificatePEM])
        }
    }

    @Test("the certificates carry the extensions that strict clients ask for")
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

    @Test("the private key belongs to the certificate")
    func keyMatches() throws {
        let fromKey = try OpenSSLTool.run("pkey", "-in", "key.pem", "-pubout", files: files)
        let fromCertificate = try OpenSSLTool.run("x509", "-in", "server.pem", "-noout", "-pubkey", files: files)
        #expect(fromKey == fromCertificate)
    }

    @Test("it expires when it was told to")
    func validity() throws {
        let half = try OpenSSLTool.run("x509", "-in", "server.pem", "-noout", "-checkend", "3000", files: files)
        #expect(half.contains("will not expire"))
        #expect(throws: OpenSSLTool.Failure.self) {
            try OpenSSLTool.run("x509", "-in", "server.pem", "-noout", "-checkend", "3700", files: files)
        }
    }

    @Test("no two certificates share a serial number")
    func serials() throws {
        let again = try authority.issue(
            commonName: "push.example", dnsNames: ["push.example"], ipAddresses: [], validity: .seconds(60))
        let first = try OpenSSLTool.run("x509", "-in", "server.pem", "-noout", "-serial", files: files)
        let second = try OpenSSLTool.run(
            "x509", "-in", "server.pem", "-noout", "-serial", files: ["server.pem": again.certificatePEM])
        #expect(first.hasPrefix("serial="))
        #expect(first != second)
    }

    @Test("names that are none are refused in words")
    func badNames() {
        #expect(refusal(dnsNames: [], ipAddresses: []).contains("neither a DNS name nor an IP address"))
        #expect(refusal(dnsNames: ["a name"], ipAddresses: []).contains("\"a name\" is not a DNS name"))
        #expect(refusal(dnsNames: [], ipAddresses: ["localhost"]).contains("\"localhost\" is not an IP address"))
    }

    @Test("a comma in a name does not smuggle in another one")
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
