package import Cryptography
import NIOCore
package import NIOSSL

/// The certificate authority of a service for tests.
///
/// It stays in a directory that outlives the service, with its key, so that clients which trust it need not be
/// restarted; without such a directory it is generated at each start.
package struct SimulatorAuthority: Sendable {
    private static let certificateFile = "ca.pem"
    private static let keyFile = "ca.key"

    /// The path of the PEM file that clients must trust.
    package let certificatePath: String
    /// The authority.
    package let authority: CertificateAuthority

    /// Reads the authority of an earlier run, or makes one.
    ///
    /// - Parameter commonName: The authority's name, for people.
    package init(named commonName: String, in directory: SimulatorDirectory) throws(SimulatorSetupError) {
        certificatePath = directory.path(of: Self.certificateFile)
        if let kept = Self.keptAuthority(in: directory) {
            authority = kept
        } else {
            authority = try Self.newAuthority(named: commonName, in: directory)
        }
    }

    /// Returns the CA of an earlier run; `nil` if there is none, or if it has expired or cannot be read.
    private static func keptAuthority(in directory: SimulatorDirectory) -> CertificateAuthority? {
        guard let certificate = directory.read(certificateFile), let key = directory.read(keyFile) else {
            return nil
        }
        return try? CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
    }

    /// Makes a CA and writes its files. The key comes first: a crash between the two leaves no pair that fits.
    private static func newAuthority(
        named commonName: String, in directory: SimulatorDirectory
    ) throws(SimulatorSetupError) -> CertificateAuthority {
        let authority = try SimulatorSetupError.attempt {
            try CertificateAuthority(commonName: commonName, validity: .seconds(365 * 86_400))
        }
        if !directory.isTemporary {
            let key = try SimulatorSetupError.attempt { try authority.privateKeyPEM() }
            try directory.write(key, to: keyFile, isSecret: true)
        }
        try directory.write(authority.certificatePEM, to: certificateFile, isSecret: false)
        return authority
    }
}

extension SimulatorAuthority {
    /// Issues a certificate, whose private key never leaves memory, and returns the settings of a server with it.
    ///
    /// - Parameters:
    ///   - host: The address that the server listens on. The certificate is valid for it, `127.0.0.1`, `::1` and
    ///     `localhost`.
    ///   - names: Further DNS names of the certificate.
    ///   - applicationProtocols: The protocols to negotiate by ALPN, the preferred one first.
    package func tls(
        host: String, names: [String], applicationProtocols: [String]
    ) throws(SimulatorSetupError) -> NIOSSLContext {
        try SimulatorSetupError.attempt {
            let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
            let certificate = try authority.issue(
                commonName: host, dnsNames: (isAddress ? ["localhost"] : ["localhost", host]) + names,
                ipAddresses: isAddress ? ["127.0.0.1", "::1", host] : ["127.0.0.1", "::1"],
                validity: .seconds(90 * 86_400))
            let chain = try [certificate.certificatePEM, authority.certificatePEM].flatMap {
                try NIOSSLCertificate.fromPEMBytes(Array($0.utf8))
            }
            let key = try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            tls.minimumTLSVersion = .tlsv12
            tls.applicationProtocols = applicationProtocols
            // Do not wait long for a client that has disappeared.
            tls.shutdownTimeout = .milliseconds(250)
            return try NIOSSLContext(configuration: tls)
        }
    }
}
