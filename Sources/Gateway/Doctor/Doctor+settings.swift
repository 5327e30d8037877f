import DocumentStore
import Foundation
import Functions
import Instance
import Messaging
import Server
import Settings

/// The versions, the settings and the machine.
extension Doctor {
    var version: Finding {
        .ok("version", "pushgate \(GatewayVersion.current), SQLite \(SQLiteEngine.libraryVersion)")
    }

    /// The settings that have no effect, and a summary. The settings themselves were checked when they were read.
    var settings: [Finding] {
        let warnings = configuration.warnings.map { warning in
            Finding.warning("settings", "\(warning)", because: warning.reason, advice: warning.advice)
        }
        let systems = configuration.modules.types.map { $0.name }.joined(separator: ", ")
        let bundleIDs = configuration.services.settings.flatMap(\.bundleIDs)
        let apps = bundleIDs.isEmpty ? "none, so in emulator mode" : bundleIDs.joined(separator: ", ")
        return warnings + [.ok("settings", "the settings are valid; systems: \(systems); apps: \(apps)")]
    }

    /// The files of the settings and of their secrets that this process cannot read any more: root has read them, and
    /// has become the gateway's user.
    var settingsFiles: [Finding] {
        configuration.files.compactMap { file -> Finding? in
            do throws(ConfigurationError) {
                // The path is shown: a file has been read there, so it is no secret.
                _ = try ConfiguredFile(key: file.key, path: file.path, expected: file.expected).contents()
                return nil
            } catch {
                return .failed(
                    "settings", "\(error)", because: "The gateway does not start.",
                    advice: "Make the file readable for the gateway's user.")
            }
        }
    }

    var machine: [Finding] { [descriptors, systemAuthorities].compactMap(\.self) }

    /// The number of file descriptors for which nobody has to raise a limit.
    private static let enoughDescriptors = 4_096

    private var descriptors: Finding? {
        guard let (_, limit) = DescriptorLimit.raise() else { return nil }
        guard limit.count < Self.enoughDescriptors else { return .ok("descriptors", "\(limit.count) file descriptors") }
        return .warning(
            "descriptors", "this user may open \(limit.count) files at once",
            because: "Each connection needs one: more than about \(limit.connections) clients at once are refused.",
            advice: "Set LimitNOFILE=20000 in the systemd unit, or raise the hard limit (ulimit -Hn).")
    }

    /// The paths of the file of trusted authorities on Debian, Fedora, Alpine and macOS.
    private static let authorityFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    private var systemAuthorities: Finding? {
        guard configuration.services.settings.contains(where: \.trustsSystem) else { return nil }
        if let path = Self.authorityFiles.first(where: FileManager.default.isReadableFile) {
            return .ok("authorities", "trusted certificate authorities in \(path)")
        }
        return .failed(
            "authorities", "this machine has no file of trusted certificate authorities",
            because: "Every connection to Apple and Google fails without one.",
            advice: "Install it: apt-get install ca-certificates.")
    }
}
