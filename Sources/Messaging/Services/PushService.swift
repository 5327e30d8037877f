package import JSON
package import Settings

/// A push service that a gateway sends to: its settings and credentials, its transport, and the facts that the rest of
/// the gateway shows of it.
///
/// A service is a folder and a line in `PushServiceTable.available`. No other file of the gateway names it.
package protocol PushService: Sendable {
    associatedtype Settings: PushServiceSettings

    /// The name in documents, logs and metrics, and the beginning of its lanes' labels.
    static var name: TransportName { get }
    /// The keys of the settings, each declared once.
    static var keys: SettingKeys { get }
    /// `false` if its notifications stay in the gateway. A gateway is an emulator without any other service.
    static var reachesDevices: Bool { get }
    /// The keys that an entry of the configuration's list of apps may have for the service.
    static var appKeys: Set<String> { get }
    /// Returns `true` if a token has the form of the service's tokens.
    static func recognizes(_ token: RegistrationToken) -> Bool
    /// Returns the token and the service's own attributes in a text that a client sends as a token. All of them are
    /// stored. By default the text is the token.
    static func parts(of text: RegistrationToken) -> TokenForms.Parts
    /// Returns the text that stands for a subscription where a token is expected; `nil` if the service's clients have
    /// tokens only, which is the default.
    static func token(ofSubscription json: JSONValue) throws(SubscriptionError) -> RegistrationToken?
    /// Returns the reason why a text that the service recognizes is no token; `nil` if it may be one, which is the
    /// default.
    static func problem(with text: RegistrationToken) -> SubscriptionError?
    /// Returns the server that an address leads to, as the doctor and its answers name it; `nil` if clients name none,
    /// which is the default.
    static func server(of address: PushAddress) -> String?
    /// The names of the environments that its tokens belong to, in lower case, as clients and settings give them. By
    /// default it has none.
    static var environments: [String] { get }
    /// `true` if all tokens that no service recognizes are for this one.
    static var takesOtherTokens: Bool { get }
    /// The part of its verdicts that FCM's clients receive; `nil` if they receive FCM's own error alone.
    static var fcmDetail: FCMErrorDetail? { get }
    /// The platform of its devices, as FCM's interface names it.
    static var fcmPlatform: String { get }
    /// The platforms whose parts of a message set its lifetime, besides `apns-expiration`.
    static var platforms: Set<Message.Platform> { get }
    /// The meaning of the outcomes of its notifications.
    static var outcomes: OutcomeTexts { get }
    /// Checks the settings of systems that name apps.
    ///
    /// - Parameters:
    ///   - settings: The service's own settings; `nil` if it is switched off.
    ///   - bundleIDs: The apps, with the keys that name them.
    static func check(_ settings: Settings?, bundleIDs: [(key: String, bundleID: String)]) throws(ConfigurationError)
    /// Returns the rejection that the service has for a message to any target; `nil` if there is none. A gateway
    /// without credentials rejects by it.
    static func rejection(of message: OutgoingMessage) -> Rejection?

    /// Creates the service. It reads the credentials, and connects to nothing.
    init(settings: Settings, host: PushServiceHost) throws(ConfigurationError)

    /// The transport to the service.
    var transport: any PushTransport { get }
    /// The broadcast channels of the service; `nil` if it has none, which is the default.
    var channels: (any ChannelService)? { get }
    /// Returns `true` if the service sends for the app of a bundle id; `nil` if it knows no apps.
    func sends(to bundleID: String) -> Bool?
    /// Returns the reason why the service, with its present settings, would not send to an address of a subscription;
    /// `nil` if it would.
    func refusal(of address: PushAddress) -> SubscriptionError?
    /// Reads the credentials of new settings.
    ///
    /// - Returns: The function that puts them to use. Nothing changes before it is called.
    func change(to settings: Settings) throws(ConfigurationError) -> @Sendable () -> Void
    /// Closes all connections at once, after the dispatcher has stopped.
    func shutdown() async

    /// The senders of the service, such as apps with their keys, for the console.
    var senders: [PushSender] { get }
    /// Reads the credentials that settings name, and nothing more.
    static func checkCredentials(_ settings: Settings, host: PushServiceHost) throws(ConfigurationError)
    /// Examines the way to the service and the credentials, by requests that reach no device.
    static func examine(_ settings: Settings, host: PushServiceHost) async -> [Finding]
}

extension PushService {
    package static var reachesDevices: Bool { true }
    package static var appKeys: Set<String> { [] }
    package static var takesOtherTokens: Bool { false }
    package static var environments: [String] { [] }
    package static func parts(of text: RegistrationToken) -> TokenForms.Parts { TokenForms.Parts(token: text) }
    package static func token(
        ofSubscription json: JSONValue
    ) throws(SubscriptionError) -> RegistrationToken? { nil }
    package static func problem(with text: RegistrationToken) -> SubscriptionError? { nil }
    package static func server(of address: PushAddress) -> String? { nil }
    package static var fcmDetail: FCMErrorDetail? { nil }
    package static var fcmPlatform: String { "UNKNOWN" }
    package static var platforms: Set<Message.Platform> { [] }
    package static func check(
        _ settings: Settings?, bundleIDs: [(key: String, bundleID: String)]
    ) throws(ConfigurationError) {}
    package static func rejection(of message: OutgoingMessage) -> Rejection? { nil }
    package var channels: (any ChannelService)? { nil }
    package func sends(to bundleID: String) -> Bool? { nil }
    package func refusal(of address: PushAddress) -> SubscriptionError? { nil }
    package func shutdown() async {}
    package var senders: [PushSender] { [] }
    package static func checkCredentials(
        _ settings: Settings, host: PushServiceHost
    ) throws(ConfigurationError) {}
}

/// The settings of a push service. The gateway has none of a service that is switched off.
package protocol PushServiceSettings: Sendable {
    /// Reads and checks the settings. Returns `nil` if the service is switched off.
    ///
    /// - Parameters:
    ///   - settings: The settings below the service's ``PushService/keys`` prefix.
    ///   - apps: The configuration's list of apps, each as its keys and values.
    init?(_ settings: SettingsReader, apps: [[String: String]]) throws(ConfigurationError)

    /// Returns `true` if a change to new settings takes effect after a restart only.
    func needsRestart(for new: Self) -> Bool

    /// The bundle ids of the apps that the settings name.
    var bundleIDs: [String] { get }
    /// The paths of the files with credentials.
    var credentialFiles: [String] { get }
    /// The file of certificate authorities to trust, with its key; `nil` for the system's, or for none.
    var authorityFile: (key: String, path: String)? { get }
    /// `true` if connections trust the system's certificate authorities.
    var trustsSystem: Bool { get }
}

extension PushServiceSettings {
    package var bundleIDs: [String] { [] }
    package var credentialFiles: [String] { [] }
    package var authorityFile: (key: String, path: String)? { nil }
    package var trustsSystem: Bool { false }
}
