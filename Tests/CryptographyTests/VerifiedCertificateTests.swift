import Cryptography
import Testing

@Suite("Verified certificates")
struct VerifiedCertificateTests {
    private let authority: CertificateAuthority
    private let issued: IssuedCertificate
    private let facts: CertificateFacts

    init() throws {
        authority = try CertificateAuthority(commonName: "An authority", validity: .seconds(86_400))
        issued = try authority.issue(
            commonName: "a key", dnsNames: ["key.example"], ipAddresses: [], validity: .seconds(3_600))
        facts = try CertificateFacts(pem: issued.certificatePEM)
    }

    @Test("A certificate of the authority has its key and its extensions")
    func verified() throws {
        let certificate = try VerifiedCertificate(
            chain: [facts.der], root: authority.certificatePEM, at: facts.notBefore)
        let key = try ES256PrivateKey(pem: issued.privateKeyPEM)
        #expect(certificate.publicKey == (try key.publicKey.point()))
        let names = try #require(certificate.contents(ofExtension: "2.5.29.17"))
        #expect(String(decoding: names, as: UTF8.self).contains("key.example"))
        #expect(certificate.contents(ofExtension: "1.2.840.113635.100.8.2") == nil)
        #expect(certificate.contents(ofExtension: "no numbers") == nil)
    }

    @Test("A certificate of another authority, of another time, in another form, or none, is refused")
    func refused() throws {
        let other = try CertificateAuthority(commonName: "An authority", validity: .seconds(86_400)).certificatePEM
        let (root, time) = (authority.certificatePEM, facts.notBefore)
        for (chain, root, time) in [
            ([facts.der], other, time), ([facts.der], root, facts.notAfter + 1), ([facts.der], root, time - 86_400),
            ([Array(facts.der.dropLast())], root, time), ([[]], root, time), ([], root, time),
            ([facts.der, [0x30]], root, time), ([facts.der], "", time),
        ] as [([[UInt8]], String, Int64)] {
            #expect(throws: CryptographyError.self) {
                try VerifiedCertificate(chain: chain, root: root, at: time)
            }
        }
    }
}
