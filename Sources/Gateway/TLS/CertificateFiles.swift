import DocumentStore
import Foundation
import Logging
import Metrics
import NIOCore
import NIOSSL
import Settings
import Synchronization

/// The certificates of the HTTPS port, read from files.
///
/// The files are read again when they have changed, at the next handshake and at most once a second, so that a tool
/// that renews them has to tell nobody. A pair that cannot be used leaves the one before in use: a tool replaces the two
/// files one after the other.
final class CertificateFiles: Sendable {
    private struct Pair {
        let paths: GatewayConfiguration.CertificatePaths
        var certificate: FileCertificate
        /// The state of the files that were read last.
        var stamp: [FileStamp?]
    }

    private struct State {
        var pairs: [Pair]
        var lastCheck: Timestamp
        /// The error that was logged last.
        var problem: String?
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// Reads the files.
    ///
    /// - Throws: `ConfigurationError` with the setting of a file that cannot be used.
    init(
        _ paths: [GatewayConfiguration.CertificatePaths], now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) throws(ConfigurationError) {
        var pairs: [Pair] = []
        for paths in paths {
            let stamp = paths.stamp
            pairs.append(Pair(paths: paths, certificate: try FileCertificate(paths), stamp: stamp))
        }
        self.now = now
        self.logger = logger
        state = Mutex(State(pairs: pairs, lastCheck: now()))
        for pair in pairs { report(pair.certificate) }
    }

    /// The names of the certificates that are not wildcards.
    var names: [String] {
        state.withLock { $0.pairs.flatMap(\.certificate.names) }.filter { !$0.hasPrefix("*") }
    }

    /// Returns `true` if a certificate is for the host.
    func covers(_ host: String) -> Bool { state.withLock { $0.pairs.contains { $0.certificate.covers(host) } } }

    /// Returns the certificate for a handshake now: the first that is for the host, else the first.
    ///
    /// - Parameter host: The name that the client asks for (SNI, RFC 6066 §3).
    func certificate(for host: String?) -> FileCertificate {
        refresh()
        let host = host?.lowercased()
        return state.withLock { state in
            let match = host.flatMap { host in state.pairs.first { $0.certificate.covers(host) } }
            return (match ?? state.pairs[0]).certificate
        }
    }

    /// Reads all files again.
    ///
    /// - Throws: `ConfigurationError` for the first that cannot be used. All certificates then stay in use.
    func reload() throws(ConfigurationError) {
        let paths = state.withLock { $0.pairs.map(\.paths) }
        var certificates: [FileCertificate] = []
        for paths in paths { certificates.append(try FileCertificate(paths)) }
        state.withLock { state in
            for index in state.pairs.indices { state.pairs[index].certificate = certificates[index] }
            state.problem = nil
        }
        for certificate in certificates { report(certificate) }
    }

    private func refresh() {
        let now = now()
        state.withLock { state in
            guard now < state.lastCheck || now >= state.lastCheck.adding(.seconds(1)) else { return }
            state.lastCheck = now
            for index in state.pairs.indices { refresh(&state.pairs[index], &state.problem) }
        }
    }

    private func refresh(_ pair: inout Pair, _ problem: inout String?) {
        let stamp = pair.paths.stamp
        guard stamp != pair.stamp else { return }
        do {
            pair.certificate = try FileCertificate(pair.paths)
            pair.stamp = stamp
            problem = nil
            report(pair.certificate)
        } catch {
            guard problem != error.description else { return }
            problem = error.description
            logger.error(
                "failed to read a new TLS certificate; keeping the current one", metadata: ["error": "\(error)"])
        }
    }

    private func report(_ certificate: FileCertificate) {
        let name = certificate.names.first ?? ""
        let metadata: Logger.Metadata = [
            "names": "\(certificate.names.joined(separator: ", "))", "expires": "\(certificate.expiry)",
        ]
        Meter(label: "pushgate_tls_certificate_expiry_timestamp_seconds", dimensions: [("name", name)])
            .set(certificate.expiry.microseconds / 1_000_000)
        if certificate.expiry <= now() {
            logger.error("the TLS certificate has expired; clients refuse it. Renew it", metadata: metadata)
        } else if certificate.expiry <= now().adding(Self.notice) {
            logger.warning("the TLS certificate expires soon; renew it", metadata: metadata)
        } else {
            logger.info("using a TLS certificate", metadata: metadata)
        }
    }

    /// The time before the end of a certificate by which tools have renewed it.
    private static let notice = Duration.seconds(7 * 24 * 60 * 60)
}

/// What changes about a file when its contents do.
private struct FileStamp: Equatable {
    let modified: Date?
    let size: Int?
    let number: Int?

    init?(_ path: String) {
        // The attributes of a symbolic link's target: tools exchange the link.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        modified = attributes[.modificationDate] as? Date
        size = (attributes[.size] as? NSNumber)?.intValue
        number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
    }
}

extension GatewayConfiguration.CertificatePaths {
    fileprivate var stamp: [FileStamp?] { [FileStamp(certificate), FileStamp(key)] }
}

extension TLSConfiguration {
    /// Returns the configuration of a server, 1.2 or later, that finds its certificate at each handshake.
    static func server(_ files: CertificateFiles) -> TLSConfiguration {
        let first = files.certificate(for: nil)
        var tls = TLSConfiguration.server(certificateChain: first.chain, privateKey: first.key)
        tls.sslContextCallback = { client, handshake in
            let certificate = files.certificate(for: client.serverHostname)
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = certificate.chain
            override.privateKey = certificate.key
            handshake.succeed(override)
        }
        return tls
    }

    /// Returns the configuration of a server, 1.2 or later.
    static func server(
        certificateChain: [NIOSSLCertificateSource], privateKey: NIOSSLPrivateKeySource
    ) -> TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: certificateChain, privateKey: privateKey)
        tls.minimumTLSVersion = .tlsv12
        // Do not wait for a client that has gone.
        tls.shutdownTimeout = .milliseconds(500)
        return tls
    }
}
