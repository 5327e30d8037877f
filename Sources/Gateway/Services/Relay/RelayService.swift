import FCMRelay
import HTTPClient
import Messaging
import Settings

/// The relay to Google's FCM: a transport, and the HTTP client that it sends with.
struct RelayService: PushService {
    static let name = TransportName.fcm
    static let keys = SettingKeys(below: "fcm.relay.", RelaySettings.Written.self)

    /// Google's codes, and the reasons of the connections.
    static let outcomes = OutcomeTexts(
        acceptance: "Google accepted it. A device that stays silent is off, or does not allow the app notifications.",
        reasons: [
            "UNREGISTERED": "The app was deleted from the device, or has a new token. It must register again.",
            "SENDER_ID_MISMATCH": "The token belongs to another Firebase project than the relay's service account.",
            "QUOTA_EXCEEDED": "Too many messages were sent, to this device or by the project. It is sent again later.",
            "THIRD_PARTY_AUTH_ERROR": """
            Apple refuses the key that the Firebase project has: Firebase's console, Cloud Messaging. It is kept.
            """,
            "couldNotConnect": """
            There is no connection to Google; the log has the cause. Outgoing connections to Google must be open on \
            port 443. It is kept.
            """,
        ],
        codes: [
            .thirdPartyAuthError: """
            Google refuses the relay's service account; “pushgate doctor” helps. The notification is kept.
            """
        ],
        requirement: OutcomeTexts.Requirement(
            setting: "registration tokens of FCM fcm.relay.serviceAccount",
            advice:
                "its app has FCM tokens, and there is no relay; set fcm.relay.serviceAccount, or register APNs device "
                + "tokens"))

    /// `true`: any other token was made by FCM.
    static let takesOtherTokens = true
    static let platforms: Set<Message.Platform> = [.android, .web]

    private let relay: FCMRelayTransport
    private let client: HTTPClient
    private let host: PushServiceHost

    init(settings: RelaySettings, host: PushServiceHost) throws(ConfigurationError) {
        client = HTTPClient(configuration: HTTPClient.Configuration(), logger: host.logger)
        relay = FCMRelayTransport(
            account: try Self.account(settings, host), endpoint: settings.endpoint, client: client, now: host.now,
            logger: host.logger)
        self.host = host
    }

    var transport: any PushTransport { relay }

    static func recognizes(_ token: RegistrationToken) -> Bool { false }

    func change(to settings: RelaySettings) throws(ConfigurationError) -> @Sendable () -> Void {
        let account = try Self.account(settings, host)
        return { [relay] in relay.replace(account) }
    }

    func shutdown() async { await client.shutdown() }

    var senders: [PushSender] { [PushSender(name: "Google", detail: relay.description)] }

    static func checkCredentials(_ settings: RelaySettings, host: PushServiceHost) throws(ConfigurationError) {
        _ = try account(settings, host)
    }

    static func examine(_ settings: RelaySettings, host: PushServiceHost) async -> [Finding] {
        guard let service = try? RelayService(settings: settings, host: host) else { return [] }
        let problem = await service.relay.accessProblem()
        let description = service.relay.description
        await service.shutdown()
        guard let problem else { return [.ok("fcm", "\(description): Google accepts the service account")] }
        return [
            .failed(
                "fcm", "\(description): no access token (\(problem))",
                because: "Notifications for Google's registration tokens are kept, and not delivered.",
                advice:
                    "Create a new key for the service account in Google's console if it was refused; otherwise check "
                    + "the name server and the firewall.")
        ]
    }

    /// Reads the service account's file.
    private static func account(
        _ settings: RelaySettings, _ host: PushServiceHost
    ) throws(ConfigurationError) -> ServiceAccount {
        let (key, path) = (keys.prefix + RelaySettings.Written.serviceAccountKey, settings.serviceAccountPath)
        let json = try host.contents(of: path, key: key, expected: "the path of a service account's JSON file")
        do {
            return try ServiceAccount(json: json)
        } catch {
            throw ConfigurationError(key: key, problem: "\(path) is not a service account's file: \(error.reason)")
        }
    }
}
