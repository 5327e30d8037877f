import Instance
import Messaging
import Settings

/// The files with the keys for push services.
struct KeyFileCheck: DoctorCheck {
    let part = "keys"

    func findings(in context: DoctorContext) -> [Finding] {
        let services = context.configuration.services
        let paths = services.settings.flatMap(\.credentialFiles)
        var findings = paths.compactMap(openFile)
        do throws(ConfigurationError) {
            try services.checkCredentials(context.host)
            if !paths.isEmpty { findings.append(ok("\(paths.joined(separator: ", ")): readable and valid")) }
        } catch {
            findings.append(unusable(error))
        }
        return findings
    }

    private func openFile(_ path: String) -> Finding? {
        guard let mode = FileAccess(ofRegularFile: path)?.openMode else { return nil }
        return warning(
            "other users can read \(path) (mode \(mode))",
            because: "Anyone who has the key can send notifications to every device of the app.",
            advice: "Run chmod 600 \(path), with the gateway's user as its owner.")
    }
}

/// The files of certificate authorities to trust.
struct AuthorityFileCheck: DoctorCheck {
    let part = "authorities"

    func findings(in context: DoctorContext) -> [Finding] {
        var files = context.configuration.services.settings.compactMap(\.authorityFile)
        if let path = context.configuration.http.tls?.acme?.caFile {
            files.append((key: "http.acme.caFile", path: path))
        }
        return files.map { key, path in
            do throws(ConfigurationError) {
                try ConfiguredFile(authorities: key, path).checkAuthorities()
                return ok("\(path): readable")
            } catch {
                return unusable(error)
            }
        }
    }
}

extension DoctorCheck {
    /// Returns the finding of a file that a setting names and that cannot be used.
    fileprivate func unusable(_ error: ConfigurationError) -> Finding {
        failed(
            "\(error)", because: "The gateway does not start.",
            advice: "Correct the setting, or make the file readable for the gateway's user.")
    }
}
