import DocumentStore
import Messaging
import Settings

/// The certificates from files and those that the gateway obtained.
struct CertificateCheck: DoctorCheck {
    let part = "certificate"

    func findings(in context: DoctorContext) -> [Finding] {
        guard let tls = context.configuration.http.tls else { return [] }
        let findings = tls.certificates.map { finding($0) }
        guard let acme = tls.acme else { return findings }
        let folder = CertificateFolder(of: acme.authority, in: context.directory)
        return findings + acme.domains.map { finding($0, folder) }
    }

    /// Returns the finding about a certificate from files.
    private func finding(_ paths: CertificatePaths) -> Finding {
        do throws(ConfigurationError) {
            return finding(try FileCertificate(paths), "Renew it; the gateway reads changed files by itself.")
        } catch {
            return failed("\(error)", because: "The gateway does not start.", advice: "Correct the file.")
        }
    }

    /// Returns the finding about a name for which the gateway obtains a certificate.
    private func finding(_ name: String, _ folder: CertificateFolder) -> Finding {
        let path = folder.path(of: name)
        guard let own = try? FileCertificate(CertificatePaths(certificate: path, key: path)) else {
            return warning(
                "there is none for \(name) yet", because: "Clients cannot connect by HTTPS.",
                advice: "Start the gateway; if it runs, the log has the authority's reason.")
        }
        return finding(own, "The log has the reason why it is not renewed.")
    }

    private func finding(_ certificate: FileCertificate, _ advice: String) -> Finding {
        let days = (certificate.expiry.seconds - Timestamp.now.seconds) / 86_400
        let names = certificate.names.joined(separator: ", ")
        let fact = "the one for \(names) ends on \(certificate.expiry)"
        return switch days {
        case ..<0: failed(fact, because: "Clients refuse to connect.", advice: advice)
        case ..<7: warning(fact, because: "Clients will refuse to connect.", advice: advice)
        default: ok(fact)
        }
    }
}
