import Cryptography
import DocumentStore
import Foundation
import Instance
import NIOSSL
import Settings

/// A certificate from a pair of files: `http.tls.certificate`, the chain with the server's certificate first, and
/// `http.tls.key`, its private key, both in PEM (RFC 7468).
struct FileCertificate: Sendable {
    let chain: [NIOSSLCertificateSource]
    let key: NIOSSLPrivateKeySource
    /// The names that it certifies, in lower case, such as `push.example.com` and `*.example.com`.
    let names: [String]
    let expiry: Timestamp

    /// Reads and checks the files.
    ///
    /// - Throws: `ConfigurationError` with the setting of the file that cannot be used.
    init(_ files: CertificatePaths) throws(ConfigurationError) {
        let certificates = try Self.certificates(try Self.contents(of: files.certificate, Self.certificateKey), files)
        let key = try Self.key(try Self.contents(of: files.key, Self.keyKey), files)
        self.chain = certificates.map { .certificate($0) }
        self.key = .privateKey(key)
        let first = certificates[0]
        names = first.dnsNames
        expiry = Timestamp(microseconds: Int64(first.notValidAfter) * 1_000_000)
        do {
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: chain, privateKey: self.key))
        } catch {
            throw ConfigurationError(
                key: Self.keyKey, problem: "\(files.key) is not the key of the certificate in \(files.certificate)")
        }
    }

    private static let certificateKey = CertificatePaths.certificateKey
    private static let keyKey = CertificatePaths.keyKey

    private static func contents(of path: String, _ setting: String) throws(ConfigurationError) -> [UInt8] {
        PEMText.repaired(try ConfiguredFile(key: setting, path: path, expected: "the path of a PEM file").contents())
    }

    private static func certificates(
        _ pem: [UInt8], _ files: CertificatePaths
    ) throws(ConfigurationError) -> [NIOSSLCertificate] {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty else {
            throw ConfigurationError(
                key: certificateKey,
                problem: "\(files.certificate) has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----"
            )
        }
        return certificates
    }

    private static func key(
        _ pem: [UInt8], _ files: CertificatePaths
    ) throws(ConfigurationError) -> NIOSSLPrivateKey {
        if let key = try? NIOSSLPrivateKey(bytes: pem, format: .pem, passphraseCallback: { $0([UInt8]()) }) {
            return key
        }
        let isEncrypted = String(decoding: pem, as: UTF8.self).contains("ENCRYPTED")
        throw ConfigurationError(
            key: keyKey,
            problem: isEncrypted
                ? "\(files.key) is encrypted. “openssl pkey -in FILE -out NEW” writes it without a passphrase"
                : "\(files.key) has no private key in PEM, which begins with -----BEGIN PRIVATE KEY-----")
    }
}

extension FileCertificate {
    /// Returns `true` if the certificate is for a host. A wildcard stands for one label (RFC 9525 §6.3).
    ///
    /// - Parameter host: The name, in lower case.
    func covers(_ host: String) -> Bool {
        names.contains { name in
            guard name.hasPrefix("*.") else { return name == host }
            guard let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
            return host[dot...] == name.dropFirst()
        }
    }
}

extension NIOSSLCertificate {
    /// The DNS names of the certificate, in lower case.
    fileprivate var dnsNames: [String] {
        _subjectAlternativeNames().compactMap { name in
            guard name.nameType == .dnsName else { return nil }
            return String(decoding: name.contents, as: UTF8.self).lowercased()
        }
    }
}
