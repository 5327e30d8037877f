import Cryptography
import Foundation
package import Settings

extension AuthorRelay {
    /// The keys of the settings.
    package static let keys = SettingKeys(below: "relay.", AuthorRelaySettings.self)
}

/// The settings of the author's relay. docs/relay.md describes them.
package struct AuthorRelaySettings: ModuleSettings {
    /// The way to decide which apps may have addresses.
    package var admission = AdmissionKind.open
    /// The secrets of apps, one of which an app sends if ``admission`` asks for one.
    package var appSecrets: APIKeys = []
    /// The apps that App Attest vouches for, if ``admission`` asks for it: the team's id, a dot, and the bundle id.
    package var attestedApps: [String] = []
    /// `true` if App Attest's keys of builds for development are good too.
    package var attestDevelopment = false
    /// The path of the certificate of App Attest's authority in PEM; `nil` for Apple's.
    package var attestRootFile: String?
    /// The names by which apps and gateways have known the relay, before it got its present one.
    package var formerHosts: [RelayHost] = []
    /// The title that a phone shows of a message that it cannot open, if its app has chosen none.
    package var title = "New notification"
    /// The text below the title; `nil` for none.
    package var body: String?
    /// The maximum number of signed calls per minute from one address; 0 removes the limit, as in all limits.
    package var callsPerMinutePerAddress = 60
    /// The maximum number of new installations per hour from one address.
    package var newInstallationsPerHourPerAddress = 20
    /// The maximum number of messages per minute from one address.
    package var messagesPerMinutePerAddress = 600
    /// The maximum number of messages per minute to one installation.
    package var messagesPerMinutePerInstallation = 120
    /// The maximum number of messages per minute with one send secret.
    package var messagesPerMinutePerSecret = 60
    /// The maximum number of cards that start on one installation per hour. Each has a channel of the app.
    package var cardsPerHourPerInstallation = 30

    /// The default settings.
    package init() {}
}

extension AuthorRelaySettings: DeclaredSettings {
    private static let appSecretsKey = "appSecrets"
    private static let attestedAppsKey = "attestedApps"
    private static let attestRootFileKey = "attestRootFile"

    /// The settings, each declared once.
    package static let settings: [Setting<AuthorRelaySettings>] = [
        .enabled(),
        Setting("admission", \.admission, .choice(), "The apps that may have addresses"),
        Setting(
            appSecretsKey, \.appSecrets, .apiKeys(), secrecy: .secret,
            "The secrets of apps, with the admission by secret"),
        Setting(
            attestedAppsKey, \.attestedApps, .appIDs(), "The apps that App Attest vouches for, with their teams"),
        Setting(
            "attestDevelopment", \.attestDevelopment, .boolean(), "Takes App Attest's keys of development builds too"),
        Setting(
            attestRootFileKey, optional: \.attestRootFile, .text("path"), absent: "Apple's",
            "The certificate of App Attest's authority"),
        Setting("formerHosts", \.formerHosts, .hosts(), "The former names of the relay, whose addresses stay good"),
        Setting("title", \.title, .neutralText(), "The title of a message that a phone cannot open"),
        Setting("body", optional: \.body, .neutralText(), "The text below the title"),
        Setting(
            "callsPerMinutePerAddress", \.callsPerMinutePerAddress, .count(),
            "The number of an app's calls from one address in a minute; 0 for no limit"),
        Setting(
            "newInstallationsPerHourPerAddress", \.newInstallationsPerHourPerAddress, .count(),
            "The number of new installations from one address in an hour; 0 for no limit"),
        Setting(
            "messagesPerMinutePerAddress", \.messagesPerMinutePerAddress, .count(),
            "The number of messages from one address in a minute; 0 for no limit"),
        Setting(
            "messagesPerMinutePerInstallation", \.messagesPerMinutePerInstallation, .count(),
            "The number of messages to one installation in a minute; 0 for no limit"),
        Setting(
            "messagesPerMinutePerSecret", \.messagesPerMinutePerSecret, .count(),
            "The number of messages with one send secret in a minute; 0 for no limit"),
        Setting(
            "cardsPerHourPerInstallation", \.cardsPerHourPerInstallation, .count(),
            "The number of cards that start on one installation in an hour; 0 for no limit"),
    ]

    /// Reads the settings; `nil` if the relay is off.
    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        guard try settings.isEnabled() else { return nil }
        self.init()
        try apply(settings)
        if admission == .secret, appSecrets.isEmpty {
            throw settings.problem(
                Self.appSecretsKey,
                "is missing; an admission by secret needs one; `openssl rand -hex 24` makes a secret")
        }
        if admission == .attest, attestedApps.isEmpty {
            throw settings.problem(
                Self.attestedAppsKey, "is missing; give the team's id and the bundle id, as A1B2C3D4E5.com.example.app")
        }
    }
}

extension SettingForm where Value == String {
    /// A text that a phone shows of a message that it cannot open.
    fileprivate static func neutralText() -> SettingForm<String> {
        SettingForm<String>("text of \(NeutralText.maximumBytes) bytes at most") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            guard NeutralText.fits(text) else {
                throw settings.problem(
                    key,
                    "must have at most \(NeutralText.maximumBytes) bytes, as JSON writes them with quotation marks")
            }
            return text
        }
    }
}

extension SettingForm where Value == [String] {
    private static var teamIDLength: Int { 10 }

    /// A list of app ids.
    fileprivate static func appIDs() -> SettingForm<[String]> {
        list("list of app ids", of: "an app id like A1B2C3D4E5.com.example.app") { text -> String? in
            let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0].utf8.count == teamIDLength && !parts[1].isEmpty ? text : nil
        }
    }
}

extension SettingForm where Value == [RelayHost] {
    /// A list of names of the relay.
    fileprivate static func hosts() -> SettingForm<[RelayHost]> {
        list("list of hosts", of: "a host like push.example.org, with a port if it is not 443") { RelayHost($0) }
    }
}

extension AuthorRelaySettings {
    /// Makes the way to decide which apps may have addresses.
    func makeAdmission() throws(ConfigurationError) -> any RelayAdmission {
        switch admission {
        case .open: return OpenAdmission()
        case .secret: return AppSecretAdmission(secrets: appSecrets)
        case .attest:
            return AppAttestAdmission(
                judge: AppAttest(
                    appIDs: attestedApps, allowsDevelopment: attestDevelopment, root: try attestRoot()))
        }
    }

    /// Returns the certificate of App Attest's authority, in PEM.
    private func attestRoot() throws(ConfigurationError) -> String {
        guard let path = attestRootFile else { return AppAttest.appleRoot }
        guard let contents = FileManager.default.contents(atPath: path),
            case let text = String(decoding: contents, as: UTF8.self), (try? CertificateFacts(pem: text)) != nil
        else {
            throw ConfigurationError(
                key: AuthorRelay.keys.prefix + Self.attestRootFileKey,
                problem: "“\(path)” is not a file with a certificate in PEM")
        }
        return text
    }
}
