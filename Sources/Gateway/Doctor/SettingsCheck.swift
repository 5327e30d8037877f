import DocumentStore
import Functions
import Instance
import Messaging
import Settings

/// The versions of the program and of its database.
struct VersionCheck: DoctorCheck {
    let part = "version"

    func findings(in context: DoctorContext) -> [Finding] {
        [ok("pushgate \(GatewayVersion.current), SQLite \(SQLiteEngine.libraryVersion)")]
    }
}

/// The settings that have no effect, and a summary. The settings themselves were checked when they were read.
struct SettingsCheck: DoctorCheck {
    let part = "settings"

    func findings(in context: DoctorContext) -> [Finding] {
        let configuration = context.configuration
        let warnings = configuration.warnings.map { setting in
            warning("\(setting)", because: setting.reason, advice: setting.advice)
        }
        let systems = configuration.modules.types.map { $0.name }.joined(separator: ", ")
        let bundleIDs = configuration.services.settings.flatMap(\.bundleIDs)
        let apps = bundleIDs.isEmpty ? "none, so in emulator mode" : bundleIDs.joined(separator: ", ")
        return warnings + [ok("the settings are valid; systems: \(systems); apps: \(apps)")]
    }
}

/// The files of the settings and of their secrets that this process cannot read any more: root has read them, and has
/// become the gateway's user.
struct SettingsFileCheck: DoctorCheck {
    let part = "settings"

    func findings(in context: DoctorContext) -> [Finding] {
        context.configuration.files.filter(\.isReadableAgain).compactMap { file -> Finding? in
            do throws(ConfigurationError) {
                // The path is shown: a file has been read there, so it is no secret.
                _ = try ConfiguredFile(key: file.key, path: file.path, expected: file.expected).contents()
                return nil
            } catch {
                return failed(
                    "\(error)", because: "The gateway does not start.",
                    advice: "Make the file readable for the gateway's user.")
            }
        }
    }
}
