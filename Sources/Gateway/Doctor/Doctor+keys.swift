import DocumentStore
import Foundation
import Instance
import Messaging
import Settings

/// The files of keys and certificates.
extension Doctor {
    var keyFiles: [Finding] {
        let paths = configuration.services.settings.flatMap(\.credentialFiles)
        var findings = paths.compactMap(openFile)
        do throws(ConfigurationError) {
            try configuration.services.checkCredentials(host)
            if !paths.isEmpty { findings.append(.ok("keys", "\(paths.joined(separator: ", ")): readable and valid")) }
        } catch {
            findings.append(
                .failed(
                    "keys", "\(error)", because: "The gateway does not start.",
                    advice: "Correct the setting, or make the file readable for the gateway's user."))
        }
        return findings
    }

    /// The files of certificate authorities to trust.
    var authorityFiles: [Finding] {
        var files = configuration.services.settings.compactMap(\.authorityFile)
        if let path = configuration.http.tls?.acme?.caFile { files.append((key: "http.acme.caFile", path: path)) }
        return files.map { key, path in
            do throws(ConfigurationError) {
                try ConfiguredFile(authorities: key, path).checkAuthorities()
                return .ok("authorities", "\(path): readable")
            } catch {
                return .failed(
                    "authorities", "\(error)", because: "The gateway does not start.",
                    advice: "Correct the setting, or make the file readable for the gateway's user.")
            }
        }
    }

    private func openFile(_ path: String) -> Finding? {
        guard let mode = FileAccess(ofRegularFile: path)?.openMode else { return nil }
        return .warning(
            "keys", "other users can read \(path) (mode \(mode))",
            because: "Whoever has the key can send notifications to every device of the app.",
            advice: "Run chmod 600 \(path), with the gateway's user as its owner.")
    }

    /// The certificates from files and those that the gateway obtained.
    var certificates: [Finding] {
        guard let tls = configuration.http.tls else { return [] }
        var findings = tls.certificates.map { paths -> Finding in
            do throws(ConfigurationError) {
                return certificate(try FileCertificate(paths), "Renew it; the gateway reads changed files by itself.")
            } catch {
                return .failed(
                    "certificate", "\(error)", because: "The gateway does not start.", advice: "Correct the file.")
            }
        }
        guard let acme = tls.acme else { return findings }
        let folder = CertificateFolder(of: acme.authority, in: directory)
        for name in acme.domains {
            let path = folder.path(of: name)
            if let own = try? FileCertificate(.init(certificate: path, key: path)) {
                findings.append(certificate(own, "The log has the reason why it is not renewed."))
            } else {
                findings.append(
                    .warning(
                        "certificate", "there is none for \(name) yet", because: "Clients cannot connect by HTTPS.",
                        advice: "Start the gateway; if it runs, the log has the authority's reason."))
            }
        }
        return findings
    }

    private func certificate(_ certificate: FileCertificate, _ advice: String) -> Finding {
        let days = (certificate.expiry.seconds - Timestamp.now.seconds) / 86_400
        let names = certificate.names.joined(separator: ", ")
        let fact = "the one for \(names) ends on \(certificate.expiry)"
        switch days {
        case ..<0: return .failed("certificate", fact, because: "Clients refuse to connect.", advice: advice)
        case ..<7: return .warning("certificate", fact, because: "Clients will refuse to connect.", advice: advice)
        default: return .ok("certificate", fact)
        }
    }
}
