package import ACME
import Cryptography
import Foundation
import IPAddresses
import Messaging
import Server
import Settings
import Texts

/// The settings of the certificates that the gateway obtains itself.
package struct ACMESettings: Hashable, Sendable {
    /// The names, each of which gets a certificate; at least one.
    package var domains: [String]
    /// The authority and the data of the account there.
    package var session: ACMESession.Configuration
    /// The path of a PEM file of certificate authorities to trust in place of the system's, for connections to the
    /// authority.
    package var caFile: String?

    /// The host of the authority, for logs and for the name of a folder, such as `acme-v02.api.letsencrypt.org`.
    var authority: String {
        let url = URL(string: session.directory)
        return (url?.host ?? "authority").filter { !"[]".contains($0) } + (url?.port.map { "-\($0)" } ?? "")
    }
}

extension ACMESettings {
    /// The directories of Let's Encrypt, by the words that stand for them.
    private static let directories = [
        "letsencrypt": "https://acme-v02.api.letsencrypt.org/directory",
        "letsencrypt-staging": "https://acme-staging-v02.api.letsencrypt.org/directory",
    ]

    /// The settings as they are written.
    struct Written: DeclaredSettings {
        var domains: [String] = []
        var email: String?
        var directory: String?
        var caFile: String?
        var keyID: String?
        var hmacKey: String?

        static let domainsKey = "http.acme.domains"
        fileprivate static let emailKey = "http.acme.email"
        fileprivate static let directoryKey = "http.acme.directory"
        fileprivate static let caFileKey = "http.acme.caFile"
        fileprivate static let keyIDKey = "http.acme.externalAccount.keyId"
        fileprivate static let hmacKeyKey = "http.acme.externalAccount.hmacKey"

        static let settings: [Setting<Written>] = [
            Setting(
                domainsKey, \.domains,
                .list(
                    "list of names",
                    of: "a name like push.example.com. An address, a single label and a wildcard cannot be one",
                    { ACMESettings.domain($0) }),
                "The names for which the gateway obtains certificates"),
            Setting(emailKey, optional: \.email, .text("address"), "The address for the authority's messages"),
            Setting(
                directoryKey, optional: \.directory,
                .text("`letsencrypt`, `letsencrypt-staging` or the `https://` address of a directory"),
                absent: "`\(standardDirectory)`", "The authority"),
            Setting(keyIDKey, optional: \.keyID, .text(), "The id of the customer's account at the authority"),
            Setting(
                hmacKeyKey, optional: \.hmacKey, .text("base64url"), secrecy: .secret,
                "The key of the customer's account at the authority"),
            Setting(
                caFileKey, optional: \.caFile, .text("path"), absent: "the system's",
                "A PEM file of the authorities to trust for connections to the authority"),
        ]

        fileprivate static let standardDirectory = "letsencrypt"

        init() {}

        /// The key of a setting that has a value but no effect without a name; `nil` if there is none.
        fileprivate var keyWithoutEffect: String? {
            let values = [
                (Self.caFileKey, caFile), (Self.directoryKey, directory), (Self.emailKey, email),
                (Self.keyIDKey, keyID),
            ]
            return values.first { $0.1 != nil }?.0
        }
    }

    /// Reads the settings; `nil` if no domain is configured.
    init?(_ settings: SettingsReader) throws(ConfigurationError) {
        var written = Written()
        try written.apply(settings)
        let session = ACMESession.Configuration(
            directory: try Self.directory(written.directory), email: try Self.email(written.email),
            externalAccount: try Self.externalAccount(written))
        guard !written.domains.isEmpty else {
            guard let key = written.keyWithoutEffect else { return nil }
            throw ConfigurationError(
                key: key, problem: "has no effect without \(Written.domainsKey). Set that, or remove it")
        }
        var known: Set<String> = []
        self.init(
            domains: written.domains.filter { known.insert($0).inserted }, session: session, caFile: written.caFile)
    }

    /// Returns the name in lower case; `nil` if no authority certifies it over HTTP.
    fileprivate static func domain(_ text: String) -> String? {
        let name = text.lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.count > 1, labels.last?.utf8.allSatisfy(\.isASCIIDigit) == false,
            labels.allSatisfy({ (1...63).contains($0.utf8.count) && $0.first != "-" && $0.last != "-" }),
            name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-.".utf8.contains($0) })
        else { return nil }
        return name
    }

    private static func directory(_ text: String?) throws(ConfigurationError) -> String {
        let text = text ?? Written.standardDirectory
        if let url = directories[text] { return url }
        guard text.hasPrefix("https://") || isLoopback(text), let host = URL(string: text)?.host, !host.isEmpty else {
            throw ConfigurationError(
                key: Written.directoryKey,
                problem: "“\(text)” is not letsencrypt, letsencrypt-staging, or the https:// address of a directory")
        }
        return text
    }

    /// Returns `true` for an address of this machine without TLS, as tests of authorities have.
    private static func isLoopback(_ text: String) -> Bool {
        guard text.hasPrefix("http://"), let host = URL(string: text)?.host else { return false }
        return IPAddress.isLoopback(urlHost: host)
    }

    private static func email(_ text: String?) throws(ConfigurationError) -> String? {
        guard let text else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"?,%&<>".utf8.contains($0) })
        else {
            throw ConfigurationError(
                key: Written.emailKey, problem: "“\(text)” is not one address like me@example.com")
        }
        return text
    }

    private static func externalAccount(_ written: Written) throws(ConfigurationError) -> ExternalAccount? {
        let (keyIDKey, hmacKeyKey) = (Written.keyIDKey, Written.hmacKeyKey)
        switch (written.keyID, written.hmacKey) {
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
}
