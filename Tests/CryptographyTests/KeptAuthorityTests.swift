import Cryptography
import Testing

@Suite("A certificate authority read from its files")
struct KeptAuthorityTests {
    private let authority: CertificateAuthority

    init() throws {
        authority = try CertificateAuthority(commonName: "Kept authority", validity: .seconds(86_400))
    }

    private func verify(_ issued: IssuedCertificate, _ authority: CertificateAuthority, _ name: String) throws -> String
    {
        try OpenSSLTool.run(
            "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", "ca.pem", "-verify_hostname", name,
            "server.pem", files: ["ca.pem": authority.certificatePEM, "server.pem": issued.certificatePEM])
    }

    private func reason(certificatePEM: String, privateKeyPEM: String) -> String? {
        do {
            _ = try CertificateAuthority(certificatePEM: certificatePEM, privateKeyPEM: privateKeyPEM)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(
        "A certificate authority read from its files issues certificates that its earlier clients accept",
        .enabled(if: OpenSSLTool.isPresent, "needs the openssl tool"))
    func readAgain() throws {
        let again = try CertificateAuthority(
            certificatePEM: authority.certificatePEM, privateKeyPEM: authority.privateKeyPEM())
        #expect(again.certificatePEM == authority.certificatePEM)
        let issued = try again.issue(
            commonName: "push.example", dnsNames: ["push.example"], ipAddresses: [], validity: .seconds(60))
        #expect(try verify(issued, authority, "push.example") == "server.pem: OK\n")
    }

    @Test("Reading a certificate authority with another authority's key fails")
    func otherKey() throws {
        let other = try CertificateAuthority(commonName: "Kept authority", validity: .seconds(86_400))
        let reason = reason(certificatePEM: authority.certificatePEM, privateKeyPEM: try other.privateKeyPEM())
        #expect(reason == "it belongs to another key")
    }

    @Test("Reading a server's certificate as a certificate authority fails")
    func notAnAuthority() throws {
        let issued = try authority.issue(
            commonName: "push.example", dnsNames: ["push.example"], ipAddresses: [], validity: .seconds(60))
        let reason = reason(certificatePEM: issued.certificatePEM, privateKeyPEM: issued.privateKeyPEM)
        #expect(reason?.contains("it is not an authority's certificate") == true)
    }

    @Test("Reading an expired certificate authority fails")
    func expired() throws {
        let old = try CertificateAuthority(commonName: "Old authority", validity: .seconds(-60))
        #expect(reason(certificatePEM: old.certificatePEM, privateKeyPEM: try old.privateKeyPEM()) == "it has expired")
    }

    @Test("Reading an authority from invalid PEM fails with an error that repeats nothing of the input")
    func noPEM() throws {
        let key = try authority.privateKeyPEM()
        let line = try #require(key.split(separator: "\n").first { !$0.hasPrefix("-----") })
        for (certificate, key) in [(authority.certificatePEM, "s3cret"), ("s3cret", key), ("", ""), (key, key)] {
            let text = try #require(reason(certificatePEM: certificate, privateKeyPEM: key))
            #expect(!text.contains("s3cret") && !text.contains(line))
        }
    }

    @Test(
        "An authority bound to domains is valid for them, their subdomains and addresses, and for no other name",
        .enabled(if: OpenSSLTool.isPresent, "needs the openssl tool"))
    func nameConstraints() throws {
        let bound = try CertificateAuthority(
            commonName: "Bound authority", validity: .seconds(86_400), permittedDomains: ["push.example", "localhost"])
        let issue = { (names: [String], addresses: [String]) in
            try bound.issue(commonName: "server", dnsNames: names, ipAddresses: addresses, validity: .seconds(60))
        }
        let good = try issue(["push.example", "a.push.example", "localhost"], ["127.0.0.1", "::1"])
        for name in ["push.example", "a.push.example", "localhost"] {
            #expect(try verify(good, bound, name) == "server.pem: OK\n")
        }
        for name in ["evil.example", "notpush.example", "example"] {
            let error = #expect(throws: OpenSSLTool.Failure.self) { try verify(try issue([name], []), bound, name) }
            #expect(error?.output.contains("permitted subtree violation") == true)
        }
    }

    @Test(
        "A certificate authority cannot be bound to an invalid domain",
        arguments: ["", "a,permitted;DNS:b", "a b", "ä.example", "a:b"])
    func badDomain(domain: String) {
        #expect(throws: CryptographyError.self) {
            try CertificateAuthority(commonName: "x", validity: .seconds(60), permittedDomains: ["a.example", domain])
        }
    }
}
