import DocumentStore
import Instance
package import Logging
package import Messaging

/// An examination of a gateway's settings, files and machine, and of its ways to push services and its own names.
///
/// It changes nothing and sends no notification to a device. The gateway may run or not.
package struct Doctor: Sendable {
    let configuration: GatewayConfiguration
    /// The PEM file of the authorities that certify the gateway's own names; `nil` for the system's.
    let caFile: String?
    let now: @Sendable () -> Int64
    let logger: Logger

    /// Creates an examination.
    ///
    /// - Parameters:
    ///   - caFile: The path of a PEM file of authorities that certify the gateway's own names; `nil` for the system's.
    ///   - now: The time in seconds since 1970.
    package init(
        _ configuration: GatewayConfiguration, caFile: String? = nil,
        now: @escaping @Sendable () -> Int64 = { Timestamp.now.seconds }, logger: Logger
    ) {
        self.configuration = configuration
        self.caFile = caFile
        self.now = now
        self.logger = logger
    }

    /// The gateway as its push services see it.
    var host: PushServiceHost { PushServiceHost(configuration, now: now, logger: logger) }

    /// The gateway's data directory.
    var directory: DataDirectory { DataDirectory(existing: configuration.data.absoluteDirectory) }

    /// Examines all parts, and reports each finding as soon as it is there.
    ///
    /// - Parameter isOffline: `true` to make no connection to other machines.
    package func examine(isOffline: Bool, _ report: (Finding) -> Void) async {
        for finding in [version] + settings + settingsFiles { report(finding) }
        for finding in machine { report(finding) }
        for finding in dataDirectory { report(finding) }
        for finding in await runningGateway() { report(finding) }
        for finding in certificates { report(finding) }
        for finding in keyFiles + authorityFiles { report(finding) }
        guard !isOffline else { return }
        for finding in await ownNames() { report(finding) }
        for service in configuration.services.table.types {
            for finding in await configuration.services.examine(service, host) { report(finding) }
        }
    }
}
