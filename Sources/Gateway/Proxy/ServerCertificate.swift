internal import Cryptography
internal import DocumentStore
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The certificate that the gateway shows for Google's names and for this machine's.
///
/// It is issued when the gateway starts, is good for 30 days, and is issued anew, at the first handshake after 15 of them,
/// for as long as the process runs. So nothing has to be restarted, no timer has to survive a laptop's sleep, and the
/// server's own key lives in memory only.
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

    /// A server's TLS, 1.2 or later, that takes the certificate of the moment at each handshake.
    var tlsConfiguration: TLSConfiguration {
        let current = current
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: current.chain, privateKey: current.key)
        tls.minimumTLSVersion = .tlsv12
        // A client that is gone need not be waited for.
        tls.shutdownTimeout = .milliseconds(500)
        tls.sslContextCallback = { _, handshake in
            let current = self.current
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = current.chain
            override.privateKey = current.key
            handshake.succeed(override)
        }
        return tls
    }

    /// What to shake hands with at this moment.
    private var current: Issued {
        let now = now()
        return issued.withLock { issued in
            // A clock that was set back would leave clients with a certificate from the future.
            if now >= issued.renewal || now < issued.beginning { renew(&issued, at: now) }
            return issued
        }
    }

    private func renew(_ issued: inout Issued, at now: Timestamp) {
        do {
            issued = try Self.issue(by: authority, at: now)
        } catch {
            logger.error("the TLS certificate was not renewed", metadata: ["error": "\(error)"])
        }
    }
}

extension ServerCertificate {
    private struct Issued {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
        let beginning: Timestamp
        /// When to issue the next.
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
