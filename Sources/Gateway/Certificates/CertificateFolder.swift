import ACME
import Cryptography
import Instance

/// The folder of a data directory with the account at a certificate authority and the certificates from there:
/// `acme/AUTHORITY`, with `account.key`, and a file for each name with its private key and its chain.
///
/// A certificate and its key are in one file, so that both change at once. Only the gateway's user can read it.
struct CertificateFolder: Sendable {
    /// The host of the authority.
    let authority: String
    private let folder: DataFolder

    init(of authority: String, in directory: DataDirectory) {
        self.authority = authority
        folder = directory.files.folder(DataDirectory.certificatesName).folder(authority)
    }

    /// Returns the path of a name's file.
    func path(of name: String) -> String { file(for: name).path }

    private func fileName(of name: String) -> String { "\(name).pem" }

    private func file(for name: String) -> AtomicFile { folder.file(fileName(of: name)) }

    /// Returns the key of the account, and creates one if there is none.
    ///
    /// - Throws: `GatewayError` if the file cannot be read or written, or holds no P-256 key. An existing file is never
    ///   replaced.
    func accountKey() throws(GatewayError) -> AccountKey {
        if let key = try existingAccountKey() { return key }
        try folder.make()
        let key = try cryptography { () throws(CryptographyError) in try ES256PrivateKey.generate() }
        try folder.write(key.pem, to: DataDirectory.accountKeyName)
        return try cryptography { () throws(CryptographyError) in try AccountKey(key) }
    }

    /// Returns the key of the account, or `nil` if there is none.
    func existingAccountKey() throws(GatewayError) -> AccountKey? {
        let file = folder.file(DataDirectory.accountKeyName)
        guard let contents = try file.contents() else { return nil }
        return try cryptography("Restore \(file.path) from a backup, or delete it for a new account.") {
            () throws(CryptographyError) in
            try AccountKey(ES256PrivateKey(pem: String(decoding: contents, as: UTF8.self)))
        }
    }

    /// Returns the certificate of a name; `nil` if there is none, or if the file holds something else.
    ///
    /// - Throws: `GatewayError` if the file cannot be read.
    func certificate(for name: String) throws(GatewayError) -> CertificateFacts? {
        guard let contents = try file(for: name).contents() else { return nil }
        return try? CertificateFacts(pem: String(decoding: contents, as: UTF8.self))
    }

    /// Replaces the certificate of a name.
    func keep(_ certificate: IssuedCertificate, for name: String) throws(GatewayError) {
        try folder.make()
        try folder.write(certificate.privateKeyPEM + certificate.certificatePEM, to: fileName(of: name))
    }

    /// Removes the certificate of a name, if there is one.
    func remove(_ name: String) throws(GatewayError) { try file(for: name).remove() }

    private func cryptography<Result>(
        _ advice: String = "", _ body: () throws(CryptographyError) -> Result
    ) throws(GatewayError) -> Result {
        do {
            return try body()
        } catch {
            throw GatewayError(advice.isEmpty ? "\(error)" : "\(error). \(advice)")
        }
    }
}
