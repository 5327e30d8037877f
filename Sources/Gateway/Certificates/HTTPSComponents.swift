import DocumentStore
import Instance
import Logging
import Server
import Settings

/// The parts of a gateway that the HTTPS port and the port that leads to it need.
struct HTTPSComponents: Sendable {
    let certificates: CertificateFiles
    let challenges = ChallengeAnswers()
    /// The service that obtains certificates; `nil` if all of them come from the operator.
    let automatic: AutomaticCertificates?
    /// The address of the port that leads to HTTPS; `nil` if there is none.
    let redirect: ListeningAddress?

    /// Reads the certificates; `nil` without settings of an HTTPS port.
    init?(
        _ settings: TLSSettings?, _ directory: DataDirectory, _ logger: Logger
    ) throws(ConfigurationError) {
        guard let settings else { return nil }
        let acme = settings.acme
        if let caFile = acme?.caFile { try ConfiguredFile(authorities: "http.acme.caFile", caFile).checkAuthorities() }
        let folder = acme.map { CertificateFolder(of: $0.authority, in: directory) }
        var sources = settings.certificates.map { CertificateSource.files($0) }
        if let acme, let folder {
            sources += acme.domains.map { .automatic(name: $0, path: folder.path(of: $0)) }
        }
        certificates = try CertificateFiles(sources, now: { .now }, logger: logger)
        redirect = settings.redirectPort.map { _ in ListeningAddress() }
        if let acme, let folder, let redirect {
            automatic = AutomaticCertificates(
                acme, folder, files: certificates, challenges: challenges, port: redirect, logger: logger)
        } else {
            automatic = nil
        }
    }

    /// Reads the certificates again, and tries again at once to obtain those that could not be obtained.
    func reload() throws(ConfigurationError) {
        try certificates.reload()
        automatic?.retry()
    }
}
