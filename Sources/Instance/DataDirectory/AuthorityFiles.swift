package import Cryptography
import Foundation

/// The certificate authority of a data directory, which signs the gateway's certificates for the host names of others.
package struct AuthorityFiles: Sendable {
    private static let certificateName = "ca.pem"
    private static let keyName = "ca.key"
    /// The names of the files, that of the secret first.
    static let names = [keyName, certificateName]

    private let files: DataFolder
    private let lock: FileLock

    /// Refers to the authority in a directory, which is made under a lock.
    init(in files: DataFolder, under lock: FileLock) {
        self.files = files
        self.lock = lock
    }

    /// The path of the authority's certificate, which clients must trust. Mode 0644.
    package var certificatePath: String { "\(files.path)/\(Self.certificateName)" }
    /// The path of the authority's private key. Mode 0600.
    private var keyPath: String { "\(files.path)/\(Self.keyName)" }

    /// Returns the mode of a file in a data directory: all but the certificate are for its owner only.
    static func mode(of name: String) -> mode_t { name == certificateName ? 0o644 : 0o600 }

    /// Returns the authority, and creates it if there is none. It is valid for ten years, and for these domains only.
    /// If several processes ask at the same time (`init` beside `serve`), one creates it and the others use the same
    /// one.
    ///
    /// - Throws: `GatewayError` if only one of the two files exists, or if they do not belong together. An authority
    ///   that clients may trust is never replaced.
    package func readOrCreate(for domains: [String]) throws(GatewayError) -> CertificateAuthority {
        try lock.exclusively { () throws(GatewayError) -> CertificateAuthority in
            if let authority = try read() { return authority }
            return try create(for: domains)
        }
    }

    private func read() throws(GatewayError) -> CertificateAuthority? {
        guard let certificate = try text(of: Self.certificateName) else { return nil }
        guard let key = try text(of: Self.keyName) else {
            throw GatewayError(
                "\(certificatePath) exists, but its key \(keyPath) does not. Restore the key; or remove ca.pem to get a "
                    + "new authority, which every client must then trust.")
        }
        do {
            return try CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
        } catch {
            throw GatewayError(
                "\(error), from \(certificatePath) and ca.key. Restore the two files that belong together; or remove "
                    + "both to get a new authority, which every client must then trust.")
        }
    }

    /// Creates the authority. The key is written first: after a crash between the two writes, no certificate exists
    /// that a client could trust.
    private func create(for domains: [String]) throws(GatewayError) -> CertificateAuthority {
        let (authority, key) = try Self.make(for: domains)
        try write(key, to: Self.keyName)
        try write(authority.certificatePEM, to: Self.certificateName)
        return authority
    }

    private static func make(for domains: [String]) throws(GatewayError) -> (CertificateAuthority, key: String) {
        do {
            let authority = try CertificateAuthority(
                // A random number distinguishes the authorities of several gateways on a client that trusts all of
                // them.
                commonName: "Pushgate authority \(String(UInt32.random(in: .min ... .max), radix: 16))",
                validity: .seconds(10 * 365 * 24 * 60 * 60), permittedDomains: domains)
            return (authority, try authority.privateKeyPEM())
        } catch {
            throw GatewayError("cannot make a certificate authority: \(error)")
        }
    }

    /// Returns the file's text, or `nil` if the file does not exist.
    private func text(of name: String) throws(GatewayError) -> String? {
        try files.file(name).contents().map { String(decoding: $0, as: UTF8.self) }
    }

    private func write(_ text: String, to name: String) throws(GatewayError) {
        try files.write(Array(text.utf8), to: name, mode: Self.mode(of: name))
    }
}
