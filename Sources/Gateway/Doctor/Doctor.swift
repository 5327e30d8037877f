import DocumentStore
package import Logging
package import Messaging

/// An examination of a gateway's settings, files and machine, and of its ways to push services and its own names.
///
/// It changes nothing and sends no notification to a device. The gateway may run or not.
package struct Doctor: Sendable {
    private let context: DoctorContext
    private let hasChangedUser: Bool

    /// Creates an examination.
    ///
    /// - Parameters:
    ///   - caFile: The path of a PEM file of authorities that certify the gateway's own names; `nil` for the system's.
    ///   - hasChangedUser: `true` if this process was another user when it read the settings.
    ///   - now: The time in seconds since 1970.
    package init(
        _ configuration: GatewayConfiguration, caFile: String? = nil, hasChangedUser: Bool = false,
        now: @escaping @Sendable () -> Int64 = { Timestamp.now.seconds }, logger: Logger
    ) {
        self.hasChangedUser = hasChangedUser
        context = DoctorContext(configuration, caFile: caFile, now: now, logger: logger)
    }

    /// Examines all parts, and reports each finding as soon as it is there.
    ///
    /// - Parameter isOffline: `true` to make no connection to other machines.
    package func examine(isOffline: Bool, _ report: (Finding) -> Void) async {
        for check in checks where !isOffline || !check.isRemote {
            for finding in await check.findings(in: context) { report(finding) }
        }
    }

    /// The checks, in the order of their findings.
    private var checks: [any DoctorExamination] {
        let settings: [any DoctorExamination] = [VersionCheck(), SettingsCheck(), RelayNameCheck()]
        // A user who has read the files need not read them again.
        let files: [any DoctorExamination] = hasChangedUser ? [SettingsFileCheck()] : []
        let own: [any DoctorExamination] = [
            DescriptorCheck(), SystemAuthorityCheck(), DirectoryCheck(), DiskCheck(), DatabaseCheck(),
            RunningGatewayCheck(), CertificateCheck(), KeyFileCheck(), AuthorityFileCheck(), NameCheck(),
        ]
        let services: [any DoctorExamination] =
            context.configuration.services.table.types.map { PushServiceCheck(of: $0) }
        return settings + files + own + services
    }
}
