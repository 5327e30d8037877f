import Foundation
import Settings

extension GatewayConfiguration {
    /// The settings of the HTTPS port.
    package struct TLS: Hashable, Sendable {
        /// The files of certificates. The first certificate is for clients that name no host.
        package var certificates: [CertificatePaths]
        /// The settings of the certificates that the gateway obtains itself, which follow the files; `nil` for none.
        package var acme: ACME?
        /// The address to listen on; `nil` for all addresses.
        package var host: String?
        /// The port to listen on; 0 for any free port.
        package var port = 443
        /// The port that leads to the HTTPS port; `nil` for none.
        package var redirectPort: Int?

        /// The port on which certificate authorities ask for the proof of a name (RFC 8555 §8.3).
        static let challengePort = 80
    }

    /// The files of a certificate.
    package struct CertificatePaths: Hashable, Sendable {
        /// The path of the certificate and its chain.
        package var certificate: String
        /// The path of the private key.
        package var key: String
    }
}

extension GatewayConfiguration.TLS {
    /// Reads the settings; `nil` if no certificate is configured.
    init?(_ settings: SettingsReader) throws(ConfigurationError) {
        let certificates = try settings.list("http.tls.certificate", of: "a path") { $0 }
        let keys = try settings.list("http.tls.key", of: "a path") { $0 }
        guard certificates.count == keys.count else {
            throw ConfigurationError(
                key: certificates.count < keys.count ? "http.tls.certificate" : "http.tls.key",
                problem: "must name a file for each of the other; there are \(certificates.count) certificates and "
                    + "\(keys.count) keys")
        }
        let host = try settings.string("http.tls.host").map { host throws(ConfigurationError) in
            try GatewayConfiguration.HTTP.host(host, for: "http.tls.host")
        }
        let port = try settings.integer("http.tls.port", in: 0...65_535)
        let redirectPort = try settings.integer("http.redirectPort", in: 0...65_535)
        let acme = try GatewayConfiguration.ACME(settings)
        guard !certificates.isEmpty || acme != nil else {
            let keys = ["http.tls.host", "http.tls.port", "http.redirectPort"]
            guard let key = keys.first(where: { settings.string($0) != nil }) else { return nil }
            throw ConfigurationError(
                key: key,
                problem:
                    "has no effect without http.tls.certificate and http.tls.key, or http.acme.domains. Set these, or "
                    + "remove it")
        }
        self.certificates = zip(certificates, keys).map { .init(certificate: $0, key: $1) }
        self.acme = acme
        self.host = host
        self.port = port ?? self.port
        self.redirectPort = redirectPort ?? acme.map { _ in Self.challengePort }
    }

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
