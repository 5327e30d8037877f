import Foundation
import Settings

/// The settings of the HTTPS port.
package struct TLSSettings: Hashable, Sendable {
    /// The files of certificates. The first certificate is for clients that name no host.
    package var certificates: [CertificatePaths]
    /// The settings of the certificates that the gateway obtains itself, which follow the files; `nil` for none.
    package var acme: ACMESettings?
    /// The address to listen on; `nil` for all addresses.
    package var host: String?
    /// The port to listen on; 0 for any free port.
    package var port = 443
    /// The port that leads to the HTTPS port; `nil` for none.
    package var redirectPort: Int?

    /// The port on which certificate authorities ask for the proof of a name (RFC 8555 §8.3).
    private static let challengePort = 80

    /// The address to listen on: by default all addresses of both families, or of IPv4 on a machine without IPv6.
    var listeningHost: String {
        if let host { return host }
        #if canImport(Darwin)
            let descriptor = socket(AF_INET6, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return "0.0.0.0" }
        close(descriptor)
        return "::"
    }
}

/// The files of a certificate.
package struct CertificatePaths: Hashable, Sendable {
    /// The key of the setting that names the certificates.
    static let certificateKey = "http.tls.certificate"
    /// The key of the setting that names the private keys.
    static let keyKey = "http.tls.key"

    /// The path of the certificate and its chain.
    package var certificate: String
    /// The path of the private key.
    package var key: String
}

extension TLSSettings {
    /// The settings as they are written.
    struct Written: DeclaredSettings {
        var certificates: [String] = []
        var keys: [String] = []
        var host: String?
        var port: Int?
        var redirectPort: Int?

        private static let hostKey = "http.tls.host"
        private static let portKey = "http.tls.port"
        private static let redirectPortKey = "http.redirectPort"

        static let settings: [Setting<Written>] = [
            Setting(
                CertificatePaths.certificateKey, \.certificates,
                .list("path or list of paths", of: "a path", { $0 }), "The files of certificates with their chains"),
            Setting(
                CertificatePaths.keyKey, \.keys, .list("as many paths", of: "a path", { $0 }),
                "The files of the certificates' private keys"),
            Setting(portKey, optional: \.port, .integer(0...65_535), absent: "`443`", "The HTTPS port"),
            Setting(
                hostKey, optional: \.host, .host(), absent: "all addresses", "The address to listen on with HTTPS"),
            Setting(
                redirectPortKey, optional: \.redirectPort, .integer(0...65_535),
                absent: "`80` with `http.acme.domains`, else none", "A port that leads browsers to the HTTPS port"),
        ]

        init() {}

        /// The key of a setting that has a value but no effect without a certificate; `nil` if there is none.
        fileprivate var keyWithoutEffect: String? {
            if host != nil { return Self.hostKey }
            if port != nil { return Self.portKey }
            return redirectPort != nil ? Self.redirectPortKey : nil
        }
    }

    /// Reads the settings; `nil` if no certificate is configured.
    init?(_ settings: SettingsReader) throws(ConfigurationError) {
        var written = Written()
        try written.apply(settings)
        let (certificates, keys) = (written.certificates, written.keys)
        let (certificateKey, keyKey) = (CertificatePaths.certificateKey, CertificatePaths.keyKey)
        guard certificates.count == keys.count else {
            throw ConfigurationError(
                key: certificates.count < keys.count ? certificateKey : keyKey,
                problem: "must name a file for each of the other; there are \(certificates.count) certificates and "
                    + "\(keys.count) keys")
        }
        let acme = try ACMESettings(settings)
        guard !certificates.isEmpty || acme != nil else {
            guard let key = written.keyWithoutEffect else { return nil }
            throw ConfigurationError(
                key: key,
                problem: "has no effect without \(certificateKey) and \(keyKey), or "
                    + "\(ACMESettings.Written.domainsKey). Set these, or remove it")
        }
        self.certificates = zip(certificates, keys).map { .init(certificate: $0, key: $1) }
        self.acme = acme
        host = written.host
        port = written.port ?? port
        redirectPort = written.redirectPort ?? acme.map { _ in Self.challengePort }
    }
}
