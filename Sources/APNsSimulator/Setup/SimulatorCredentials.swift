import Cryptography
import NIOSSL
import SimulatorTools

/// The simulator's TLS certificate, and the provider key for senders.
struct SimulatorCredentials: Sendable {
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
        do throws(SimulatorSetupError) {
            let authority = try SimulatorAuthority(named: "APNs simulator CA", in: directory)
            tls = try authority.tls(
                host: configuration.host, names: configuration.names, applicationProtocols: ["h2"])
            certificateAuthorityPath = authority.certificatePath
            ownKey = try configuration.makesProviderKey ? Self.ownKey(configuration, in: directory) : nil
        } catch {
            throw APNsSimulatorError(error)
        }
    }

    private static func ownKey(
        _ configuration: APNsSimulatorConfiguration, in directory: SimulatorDirectory
    ) throws(SimulatorSetupError) -> OwnKey {
        let file = "AuthKey_\(configuration.providerKeyID).p8"
        let existing = directory.read(file)
        let key = try SimulatorSetupError.attempt(reading: existing == nil ? nil : directory.path(of: file)) {
            try existing.map { try ES256PrivateKey(pem: $0) } ?? .generate()
        }
        let path = directory.path(of: file)
        if existing == nil { try directory.write(key.pem, to: file, isSecret: true) }
        return OwnKey(
            path: path,
            key: ProviderKey(
                keyID: configuration.providerKeyID, teamID: configuration.providerTeamID, publicKey: key.publicKey))
    }
}
