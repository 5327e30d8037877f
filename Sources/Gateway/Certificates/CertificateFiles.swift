import Cryptography
import DocumentStore
import Foundation
import Logging
import Metrics
import NIOCore
import NIOPosix
import NIOSSL
import Server
import Settings
import Synchronization

/// A certificate of the HTTPS port.
enum CertificateSource: Hashable, Sendable {
    /// The files of the operator.
    case files(CertificatePaths)
    /// A name for which the gateway obtains a certificate, and the file in which it keeps that with its key. The file
    /// may not exist yet.
    case automatic(name: String, path: String)

    fileprivate var paths: CertificatePaths {
        switch self {
        case .files(let paths): paths
        case .automatic(_, let path): CertificatePaths(certificate: path, key: path)
        }
    }

    /// The name that the certificate is to have; `nil` for any names.
    fileprivate var name: String? {
        if case .automatic(let name, _) = self { name } else { nil }
    }
}

/// The certificates of the HTTPS port, read from files.
///
/// The files are read again when they have changed, at the next handshake and at most once a second, so that a tool
/// that renews them has to tell nobody. A pair that cannot be used leaves the one before in use: a tool replaces the
/// two files one after the other.
///
/// Files are never read on the thread of a handshake. BoringSSL keeps the errors of each thread, and one that an
/// unusable file leaves there would fail the handshake. A file system that does not answer would hold up its loop.
final class CertificateFiles: Sendable {
    private struct Pair {
        let source: CertificateSource
        /// The certificate; `nil` before the gateway has obtained it.
        var certificate: FileCertificate?
        /// The state of the files that were read last.
        var stamp: [FileStamp?]
        /// The error that was logged last.
        var problem: String?

        var names: [String] { certificate?.names ?? [source.name].compactMap(\.self) }
    }

    private struct State {
        var pairs: [Pair]
        var lastLook: Timestamp
    }

    /// The certificates in use. No file is read while it is locked.
    private let state: Mutex<State>
    /// Locked while files are read, so that an earlier state of them never replaces a later one.
    private let reading = Mutex(())
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// Reads the files.
    ///
    /// - Throws: `ConfigurationError` with the setting of a file that cannot be used.
    init(
        _ sources: [CertificateSource], now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) throws(ConfigurationError) {
        let pairs = try Self.read(sources)
        self.now = now
        self.logger = logger
        state = Mutex(State(pairs: pairs, lastLook: now()))
        for certificate in pairs.compactMap(\.certificate) { report(certificate) }
    }

    /// Reads a certificate. One that the gateway obtains itself may be absent, and is obtained again if it cannot be
    /// used.
    private static func certificate(_ source: CertificateSource) throws(ConfigurationError) -> FileCertificate? {
        if case .automatic(_, let path) = source { return try? FileCertificate(.init(certificate: path, key: path)) }
        return try FileCertificate(source.paths)
    }

    /// The names of the certificates, and those that the gateway obtains one for, without wildcards.
    var names: [String] { state.withLock { $0.pairs.flatMap(\.names) }.filter { !$0.hasPrefix("*") } }

    /// The names for which there is no certificate yet.
    var missingNames: [String] {
        state.withLock { $0.pairs.filter { $0.certificate == nil }.compactMap(\.source.name) }
    }

    /// The certificates in use.
    var certificates: [FileCertificate] { state.withLock { $0.pairs.compactMap(\.certificate) } }

    /// Returns `true` if a certificate is for the host, or will be.
    func covers(_ host: String) -> Bool {
        state.withLock { $0.pairs.contains { $0.certificate?.covers(host) ?? ($0.source.name == host) } }
    }

    /// Returns the certificate for a handshake: the first that is for the host, else the first; `nil` if there is none
    /// yet.
    ///
    /// - Parameter host: The name that the client asks for (SNI, RFC 6066 §3).
    func certificate(for host: String?) -> FileCertificate? {
        let host = host?.lowercased()
        return state.withLock { state in
            let certificates = state.pairs.compactMap(\.certificate)
            return host.flatMap { host in certificates.first { $0.covers(host) } } ?? certificates.first
        }
    }

    /// Reads all files again.
    ///
    /// - Throws: `ConfigurationError` for the first that cannot be used. All certificates then stay in use.
    func reload() throws(ConfigurationError) {
        let read = try reading.withLock { _ throws(ConfigurationError) in
            let read = try Self.read(state.withLock { $0.pairs.map(\.source) })
            state.withLock { state in
                for (index, pair) in read.enumerated() where pair.certificate != nil { state.pairs[index] = pair }
            }
            return read
        }
        for certificate in read.compactMap(\.certificate) { report(certificate) }
    }

    private static func read(_ sources: [CertificateSource]) throws(ConfigurationError) -> [Pair] {
        var pairs: [Pair] = []
        for source in sources {
            // Files that change while they are read have another state at the next look.
            let stamp = source.paths.stamp
            pairs.append(Pair(source: source, certificate: try certificate(source), stamp: stamp))
        }
        return pairs
    }

    /// Returns `true` if the files were not looked at for a second, and counts this as a look.
    func beginLook() -> Bool {
        let now = now()
        return state.withLock { state in
            guard now < state.lastLook || now >= state.lastLook.adding(.seconds(1)) else { return false }
            state.lastLook = now
            return true
        }
    }

    /// Reads the files that have changed, unless another thread reads them now.
    func refreshUnlessReading() { reading.withLockIfAvailable { _ in refreshPairs() } }

    /// Reads the files that have changed.
    func refresh() { reading.withLock { _ in refreshPairs() } }

    private func refreshPairs() {
        for index in state.withLock({ $0.pairs.indices }) {
            var pair = state.withLock { $0.pairs[index] }
            refresh(&pair)
            state.withLock { [pair] in $0.pairs[index] = pair }
        }
    }

    private func refresh(_ pair: inout Pair) {
        let stamp = pair.source.paths.stamp
        guard stamp != pair.stamp else { return }
        do {
            let certificate = try FileCertificate(pair.source.paths)
            pair.certificate = certificate
            pair.stamp = stamp
            pair.problem = nil
            report(certificate)
        } catch {
            // The gateway obtains this one again.
            guard pair.source.name == nil else { return }
            guard pair.problem != error.description else { return }
            pair.problem = error.description
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
            logger.error("serving a TLS certificate that has expired; clients refuse it. Renew it", metadata: metadata)
        } else if certificate.expiry <= now().adding(Self.notice) {
            logger.warning("serving a TLS certificate that expires soon; renew it", metadata: metadata)
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

extension CertificatePaths {
    fileprivate var stamp: [FileStamp?] { [FileStamp(certificate), FileStamp(key)] }
}

extension TLSConfiguration {
    /// Returns the configuration of a server, 1.2 or later, that finds its certificate at each handshake.
    static func server(_ files: CertificateFiles) throws -> TLSConfiguration {
        // A key is required before there is a certificate.
        let placeholder = try NIOSSLPrivateKey(bytes: Array(ES256PrivateKey.generate().pem.utf8), format: .pem)
        var tls = TLSConfiguration.server(certificateChain: [], privateKey: .privateKey(placeholder))
        tls.sslContextCallback = { client, handshake in
            let host = client.serverHostname
            guard files.beginLook() else { return handshake.completeWith(files.override(for: host)) }
            handshake.completeWith(
                NIOThreadPool.singleton.runIfActive(eventLoop: handshake.futureResult.eventLoop) {
                    files.refreshUnlessReading()
                    return try files.override(for: host).get()
                })
        }
        return tls
    }
}

extension CertificateFiles {
    /// Returns the certificate for a handshake, in the form of NIOSSL.
    fileprivate func override(for host: String?) -> Result<NIOSSLContextConfigurationOverride, any Error> {
        guard let certificate = certificate(for: host) else { return .failure(MissingCertificate()) }
        var override = NIOSSLContextConfigurationOverride()
        override.certificateChain = certificate.chain
        override.privateKey = certificate.key
        return .success(override)
    }
}

/// The error of a handshake before there is any certificate.
private struct MissingCertificate: Error {}
