import Cryptography
import DocumentStore
import Logging
import NIOCore
import NIOSSL
import Server
import Synchronization

/// The certificate that the gateway presents for Google's host names and for this machine's.
///
/// It is issued at the start of the gateway and is valid for 30 days. The first handshake after 15 days issues the
/// next one. So no restart is necessary, no timer depends on a laptop's sleep, and the server's private key exists in
/// memory only.
final class ServerCertificate: Sendable {
    private static let validity = Duration.seconds(30 * 24 * 60 * 60)

    private let authority: CertificateAuthority
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let issued: Mutex<Issued>

    init(authority: CertificateAuthority, now: @escaping @Sendable () -> Timestamp, logger: Logger) throws {
        self.authority = authority
        self.now = now
        self.logger = logger
        issued = Mutex(try Self.issue(by: authority, at: now()))
    }

    /// The TLS configuration of a server, 1.2 or later, that uses the current certificate at each handshake.
    var tlsConfiguration: TLSConfiguration {
        let current = current
        var tls = TLSConfiguration.server(certificateChain: current.chain, privateKey: current.key)
        tls.sslContextCallback = { _, handshake in
            let current = self.current
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = current.chain
            override.privateKey = current.key
            handshake.succeed(override)
        }
        return tls
    }

    /// The certificate for a handshake now.
    private var current: Issued {
        let now = now()
        return issued.withLock { issued in
            // If the clock was set back, clients would see a certificate that is not valid yet.
            if now >= issued.renewal || now < issued.beginning { renew(&issued, at: now) }
            return issued
        }
    }

    private func renew(_ issued: inout Issued, at now: Timestamp) {
        do {
            issued = try Self.issue(by: authority, at: now)
        } catch {
            logger.error("failed to renew the TLS certificate", metadata: ["error": "\(error)"])
        }
    }
}

extension ServerCertificate {
    private struct Issued {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
        let beginning: Timestamp
        /// The time to issue the next certificate.
        let renewal: Timestamp
    }

    private static func issue(by authority: CertificateAuthority, at now: Timestamp) throws -> Issued {
        let certificate = try authority.issue(
            commonName: "Pushgate", dnsNames: GoogleHosts.certifiedNames,
            ipAddresses: GoogleHosts.certifiedAddresses, validity: validity)
        return Issued(
            chain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificatePEM.utf8)).map { .certificate($0) },
            key: .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem)),
            beginning: now, renewal: now.adding(validity / 2))
    }
}
