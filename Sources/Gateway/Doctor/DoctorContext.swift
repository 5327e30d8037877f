import Foundation
import Instance
import Logging
import Messaging
import Settings

/// The gateway that checks examine.
struct DoctorContext: Sendable {
    let configuration: GatewayConfiguration
    /// The gateway's data directory.
    let directory: DataDirectory
    /// The gateway as its push services see it.
    let host: PushServiceHost
    /// A client for requests to the gateway.
    let client: DoctorClient

    /// Describes the gateway of a configuration.
    ///
    /// - Parameters:
    ///   - caFile: The path of a PEM file of authorities that certify the gateway's own names; `nil` for the system's.
    ///   - now: The time in seconds since 1970.
    init(_ configuration: GatewayConfiguration, caFile: String?, now: @escaping @Sendable () -> Int64, logger: Logger) {
        self.configuration = configuration
        let directory = DataDirectory(existing: configuration.data.absoluteDirectory)
        self.directory = directory
        let client = DoctorClient(caFile: caFile, logger: logger)
        self.client = client
        let token = configuration.admin.token
        // A secret that does not exist yet is made and not kept.
        host = PushServiceHost(
            configuration,
            secrets: { name, make throws(ConfigurationError) in
                do throws(GatewayError) {
                    if let kept = try directory.sharedSecrets.secret(named: name) { return kept }
                } catch {
                    throw ConfigurationError(key: "data.directory", problem: "\(error)")
                }
                return try make()
            }, survey: { await client.survey(of: directory, adminToken: token) }, now: now, logger: logger)
    }

    /// The state of the data directory for this user.
    enum DirectoryState {
        /// There is none.
        case absent
        /// This user cannot use it.
        case closed
        case open
    }

    /// The present state of the data directory.
    var directoryState: DirectoryState {
        guard FileManager.default.fileExists(atPath: directory.path) else { return .absent }
        return access(directory.path, R_OK | W_OK | X_OK) == 0 ? .open : .closed
    }
}
