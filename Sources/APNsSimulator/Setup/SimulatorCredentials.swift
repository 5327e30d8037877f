import Cryptography
import NIOCore
import NIOSSL

/// The simulator's TLS certificate, and the provider key for senders.
///
/// The certificate is generated at each start, and its private key never leaves memory. The CA stays in a directory
/// that outlives the simulator, with its key, so that senders which trust it need not be restarted; without such a
/// directory it is generated too.
struct SimulatorCredentials: Sendable {
    private static let authorityFile = "ca.pem"
    private static let authorityKeyFile = "ca.key"

    let tls: NIOSSLContext
    let certificateAuthorityPath: String
    /// The simulator's own provider key; `nil` if the configuration excludes one.
    let ownKey: OwnKey?

    struct OwnKey: Sendable {
        let path: String
        let key: ProviderKey
    }

    init(
        _ configuration: APNsSimulatorConfiguration, directory: SimulatorDirectory
    ) throws(APNsSimulatorError) {
        let authority: CertificateAuthority
        if let kept = Self.keptAuthority(in: directory) {
            authority = kept
        } else {
            authority = try Self.newAuthority(in: directory)
        }
        self.tls = try Self.attempt { try Self.tls(configuration, issuedBy: authority) }
        self.certificateAuthorityPath = directory.path(of: Self.authorityFile)
        self.ownKey = try configuration.makesProviderKey ? Self.ownKey(configuration, in: directory) : nil
    }

    /// Returns the CA of an earlier run; `nil` if there is none, or if it has expired or cannot be read.
    private static func keptAuthority(in directory: SimulatorDirectory) -> CertificateAuthority? {
        guard let certificate = directory.read(authorityFile), let key = directory.read(authorityKeyFile) else {
            return nil
        }
        return try? CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
    }

    /// Makes a CA and writes its files. The key comes first: a crash between the two leaves no pair that fits.
    private static func newAuthority(
        in directory: SimulatorDirectory
    ) throws(APNsSimulatorError) -> CertificateAuthority {
        let authority = try attempt {
            try CertificateAuthority(commonName: "APNs simulator CA", validity: .seconds(365 * 86_400))
        }
        if !directory.isTemporary {
            let key = try attempt { try authority.privateKeyPEM() }
            try directory.write(key, to: authorityKeyFile, mode: 0o600)
        }
        try directory.write(authority.certificatePEM, to: authorityFile, mode: 0o644)
        return authority
    }

    private static func attempt<Value>(
        reading path: String? = nil, _ make: () throws -> Value
    ) throws(APNsSimulatorError) -> Value {
        do { return try make() } catch { throw .credentials(cause: (path.map { $0 + ": " } ?? "") + "\(error)") }
    }

    private static func tls(
        _ configuration: APNsSimulatorConfiguration, issuedBy authority: CertificateAuthority
    ) throws -> NIOSSLContext {
        let isAddress = (try? SocketAddress(ipAddress: configuration.host, port: 0)) != nil
        let certificate = try authority.issue(
            commonName: configuration.host,
            dnsNames: (isAddress ? ["localhost"] : ["localhost", configuration.host]) + configuration.names,
            ipAddresses: isAddress ? ["127.0.0.1", "::1", configuration.host] : ["127.0.0.1", "::1"],
            validity: .seconds(90 * 86_400))
        let chain = try [certificate.certificatePEM, authority.certificatePEM].flatMap {
            try NIOSSLCertificate.fromPEMBytes(Array($0.utf8))
        }
        let key = try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2"]
        // Do not wait long for a client that has disappeared.
        tls.shutdownTimeout = .milliseconds(250)
        return try NIOSSLContext(configuration: tls)
    }

    private static func ownKey(
        _ configuration: APNsSimulatorConfiguration, in directory: SimulatorDirectory
    ) throws(APNsSimulatorError) -> OwnKey {
        let file = "AuthKey_\(configuration.providerKeyID).p8"
        let existing = directory.read(file)
        let key = try attempt(reading: existing == nil ? nil : directory.path(of: file)) {
            try existing.map { try ES256PrivateKey(pem: $0) } ?? .generate()
        }
        let path = try existing == nil ? directory.write(key.pem, to: file, mode: 0o600) : directory.path(of: file)
        return OwnKey(
            path: path,
            key: ProviderKey(
                keyID: configuration.providerKeyID, teamID: configuration.providerTeamID, publicKey: key.publicKey))
    }
}
