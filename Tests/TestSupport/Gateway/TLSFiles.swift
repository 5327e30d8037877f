import Cryptography
import Foundation

/// The files of a certificate, from an authority of its own, for a gateway's HTTPS port.
package struct TLSFiles: Sendable {
    /// The usual name of certificates.
    package static let name = "push.example.com"

    /// The path of the authority's certificate, for clients.
    package let caFile: String
    package let certificate: String
    package let key: String

    /// Writes the files.
    ///
    /// - Parameters:
    ///   - name: the name that the certificate is for.
    ///   - validity: the time until the certificate's end.
    package init(in directory: String, name: String = Self.name, validity: Duration = .seconds(86_400)) throws {
        let authority = try CertificateAuthority(commonName: "Test authority", validity: .seconds(86_400))
        let issued = try authority.issue(
            commonName: "test", dnsNames: [name], ipAddresses: [], validity: validity)
        (caFile, certificate, key) = ("\(directory)/ca.pem", "\(directory)/a.pem", "\(directory)/a.key")
        try authority.certificatePEM.write(toFile: caFile, atomically: true, encoding: .utf8)
        try issued.certificatePEM.write(toFile: certificate, atomically: true, encoding: .utf8)
        try issued.privateKeyPEM.write(toFile: key, atomically: true, encoding: .utf8)
    }

    /// The settings of a gateway that serves HTTPS with the certificate, on any free port of loopback, and leads plain
    /// requests there from another.
    package var settings: [String: String] {
        [
            "http.tls.certificate": certificate, "http.tls.key": key, "http.tls.port": "0",
            "http.tls.host": "127.0.0.1", "http.redirectPort": "0",
        ]
    }
}
