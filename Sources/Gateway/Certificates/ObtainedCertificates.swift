import ACME
package import Cryptography
package import Instance
package import Logging
package import Settings

/// The certificates that a gateway has obtained, for programs beside it.
package struct ObtainedCertificates: Sendable {
    private let settings: ACMESettings
    private let folder: CertificateFolder
    private let logger: Logger

    /// Finds the certificates of a configuration.
    ///
    /// - Throws: `ConfigurationError` if `http.acme.domains` is not set.
    package init(_ configuration: GatewayConfiguration, logger: Logger) throws(ConfigurationError) {
        guard let settings = configuration.http.tls?.acme else {
            throw ConfigurationError(
                key: "http.acme.domains", problem: "is not set, so the gateway obtains no certificates")
        }
        self.settings = settings
        self.logger = logger
        folder = CertificateFolder(
            of: settings.authority, in: DataDirectory(existing: configuration.data.absoluteDirectory))
    }

    /// The names that the gateway obtains certificates for.
    package var names: [String] { settings.domains }
    /// The host of the authority.
    package var authority: String { folder.authority }

    /// Returns the certificate of a name; `nil` if there is none yet.
    package func certificate(for name: String) throws(GatewayError) -> CertificateFacts? {
        try folder.certificate(for: name)
    }

    /// Revokes the certificate of a name and removes it. The running gateway uses it until it has obtained another one,
    /// which it begins within a minute.
    ///
    /// - Parameter reason: A reason code (RFC 5280 §5.3.1).
    package func revoke(_ name: String, reason: Int) async throws {
        guard let certificate = try folder.certificate(for: name), let key = try folder.existingAccountKey() else {
            throw GatewayError("there is no certificate for \(name) from \(authority).")
        }
        do throws(ACMEError) {
            try await settings.withClient(logger) { http throws(ACMEError) in
                try await ACMESession.open(settings.session, key: key, http: http).revoke(certificate, reason: reason)
            }
        } catch {
            throw GatewayError("\(authority) did not revoke the certificate for \(name): \(error)")
        }
        try folder.remove(name)
    }
}
