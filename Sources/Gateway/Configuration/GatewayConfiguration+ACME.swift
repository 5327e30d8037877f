package import ACME
import Cryptography
import Foundation
import Messaging
import Server
import Settings

extension GatewayConfiguration {
    /// The settings of the certificates that the gateway obtains itself.
    package struct ACME: Hashable, Sendable {
        /// The names, each of which gets a certificate; at least one.
        package var domains: [String]
        /// The authority and the data of the account there.
        package var session: ACMESession.Configuration
        /// The path of a PEM file of certificate authorities to trust in place of the system's, for connections to the
        /// authority.
        package var caFile: String?
    }
}

extension GatewayConfiguration.ACME {
    /// The directories of Let's Encrypt, by the words that stand for them.
    private static let directories = [
        "letsencrypt": "https://acme-v02.api.letsencrypt.org/directory",
        "letsencrypt-staging": "https://acme-staging-v02.api.letsencrypt.org/directory",
    ]
    private static let domainsKey = "http.acme.domains"
    private static let keyIDKey = "http.acme.externalAccount.keyId"
    private static let hmacKeyKey = "http.acme.externalAccount.hmacKey"

    /// Reads the settings; `nil` if no domain is configured.
    init?(_ settings: SettingsReader) throws(ConfigurationError) {
        let domains = try settings.list(
            Self.domainsKey,
            of: "a name like push.example.com. An address, a single label and a wildcard cannot be one",
            Self.domain)
        let directory = try Self.directory(settings.string("http.acme.directory"))
        let session = ACMESession.Configuration(
            directory: directory, email: try Self.email(settings.string("http.acme.email")),
            externalAccount: try Self.externalAccount(settings))
        guard !domains.isEmpty else {
            let others = ["http.acme.caFile", "http.acme.directory", "http.acme.email", Self.keyIDKey]
            guard let key = others.first(where: { settings.string($0) != nil }) else { return nil }
            throw ConfigurationError(
                key: key, problem: "has no effect without \(Self.domainsKey). Set that, or remove it")
        }
        var known: Set<String> = []
        self.init(
            domains: domains.filter { known.insert($0).inserted }, session: session,
            caFile: settings.string("http.acme.caFile"))
    }

    /// Returns the name in lower case; `nil` if no authority certifies it over HTTP.
    private static func domain(_ text: String) -> String? {
        let name = text.lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.count > 1, labels.last?.allSatisfy(\.isNumber) == false,
            labels.allSatisfy({ (1...63).contains($0.utf8.count) && $0.first != "-" && $0.last != "-" }),
            name.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-.".utf8.contains($0) })
        else { return nil }
        return name
    }

    private static func directory(_ text: String?) throws(ConfigurationError) -> String {
        let text = text ?? "letsencrypt"
        if let url = directories[text] { return url }
        guard text.hasPrefix("https://") || isLoopback(text), let host = URL(string: text)?.host, !host.isEmpty else {
            throw ConfigurationError(
                key: "http.acme.directory",
                problem: "“\(text)” is not letsencrypt, letsencrypt-staging, or the https:// address of a directory")
        }
        return text
    }

    /// Returns `true` for an address of this machine without TLS, as tests of authorities have.
    private static func isLoopback(_ text: String) -> Bool {
        guard text.hasPrefix("http://"), let host = URL(string: text)?.host else { return false }
        return IPAddress.isLoopback(host: host.filter { !"[]".contains($0) })
    }

    private static func email(_ text: String?) throws(ConfigurationError) -> String? {
        guard let text else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"?,%&<>".utf8.contains($0) })
        else {
            throw ConfigurationError(
                key: "http.acme.email", problem: "“\(text)” is not one address like me@example.com")
        }
        return text
    }

    private static func externalAccount(_ settings: SettingsReader) throws(ConfigurationError) -> ExternalAccount? {
        switch (settings.string(keyIDKey), settings.string(hmacKeyKey)) {
        case (nil, nil): return nil
        case (let keyID?, let text?):
            // Authorities give the key with and without padding.
            guard let key = Base64URL.decode(text.filter { $0 != "=" }), !key.isEmpty else {
                throw ConfigurationError(
                    key: hmacKeyKey, problem: "is not base64url, the form in which authorities give it")
            }
            return ExternalAccount(keyID: keyID, hmacKey: key)
        case (nil, _?): throw ConfigurationError(key: keyIDKey, problem: "is missing beside \(hmacKeyKey)")
        case (_?, nil): throw ConfigurationError(key: hmacKeyKey, problem: "is missing beside \(keyIDKey)")
        }
    }

    /// The host of the authority, for logs and for the name of a folder, such as `acme-v02.api.letsencrypt.org`.
    var authority: String {
        let url = URL(string: session.directory)
        return (url?.host ?? "authority").filter { !"[]".contains($0) } + (url?.port.map { "-\($0)" } ?? "")
    }
}
