import APNs
import Cryptography
import HTTP2Client
import Messaging
import Settings

/// Apple's push service: a transport, and the HTTP/2 client that it sends with.
struct APNsService: PushService {
    static let name = TransportName.apns
    static let keys = SettingKeys(below: "apns.", APNsSettings.App.Written.self).adding(APNsSettings.Written.self)
    static let appKeys = APNsSettings.App.Written.names

    static let fcmDetail: FCMErrorDetail? = FCMErrorDetail(
        type: "ApnsError", disabledToken: "APNs device token is disabled.")
    static let fcmPlatform = "IOS"
    static let environments = APNsEnvironment.allCases.map(\.rawValue)

    /// The maximum number of notifications in flight.
    private static let window = 1_000

    private let apns: APNsTransport
    private let client: HTTP2Client
    private let host: PushServiceHost

    init(settings: APNsSettings, host: PushServiceHost) throws(ConfigurationError) {
        var configuration = HTTP2Client.Configuration()
        if let caFile = settings.caFile { try host.checkAuthorities(at: caFile, key: "apns.caFile") }
        configuration.caFile = settings.caFile
        configuration.proxy = settings.proxy
        client = HTTP2Client(configuration: configuration, logger: host.logger)
        apns = APNsTransport(
            apps: try Self.apps(settings, host), client: client, window: Self.window, now: host.now,
            logger: host.logger)
        self.host = host
    }

    var transport: any PushTransport { apns }
    var channels: (any ChannelService)? { apns.channels }

    /// The apps with their keys.
    var senders: [PushSender] {
        let apps = apns.apps
        return ([apps.standard] + apps.others).map { app in
            let identity = AppIdentity(bundleID: app.bundleID, environment: app.environment)
            return PushSender(
                name: app.bundleID, detail: "\(app.environment.rawValue), key \(app.keyID) of team \(app.teamID)",
                lane: Lane(transport: Self.name, app: identity), pause: "Apple refuses the key, or cannot be reached")
        }
    }

    func sends(to bundleID: String) -> Bool? { apns.sends(to: bundleID) }

    /// Reads the keys of the apps. Systems keep the bundle ids that they started with.
    func change(to settings: APNsSettings) throws(ConfigurationError) -> @Sendable () -> Void {
        let apps = try Self.apps(settings, host)
        return { [apns] in apns.replace(apps) }
    }

    func shutdown() async { await client.shutdown(within: .zero) }

    static func check(
        _ settings: APNsSettings?, bundleIDs: [(key: String, bundleID: String)]
    ) throws(ConfigurationError) {
        let teamIDs = Set(settings?.apps.map(\.teamID) ?? [])
        for (key, bundleID) in bundleIDs {
            try BundleID.checkForm(of: bundleID, for: key)
            try BundleID.checkPrefix(of: bundleID, teamIDs: teamIDs, for: key)
        }
    }

    /// Returns `true` for an even number of hexadecimal digits, at least 32: APNs fixes no length.
    static func recognizes(_ token: RegistrationToken) -> Bool { token.isDeviceToken }

    static func rejection(of message: OutgoingMessage) -> Rejection? { APNsTransport.rejection(of: message) }
}

/// The keys of apps.
extension APNsService {
    /// Reads the keys of the configured apps.
    static func apps(_ settings: APNsSettings, _ host: PushServiceHost) throws(ConfigurationError) -> APNsApps {
        var apps: [APNsApp] = []
        for app in settings.apps {
            apps.append(
                APNsApp(
                    bundleID: app.bundleID, key: try key(of: app, host), keyID: app.keyID, teamID: app.teamID,
                    environment: app.environment, endpoint: app.endpoint.flatMap(HTTP2Origin.init),
                    broadcastEndpoint: app.broadcastEndpoint.flatMap(HTTP2Origin.init),
                    channelEndpoint: app.channelEndpoint.flatMap(HTTP2Origin.init)))
        }
        guard let standard = apps.first else { throw ConfigurationError(key: "apns", problem: "names no app") }
        return APNsApps(
            standard, Array(apps.dropFirst()), moreBundleIDs: host.bundleIDs,
            allowsUnconfigured: settings.allowsUnconfiguredApps)
    }

    private static func key(
        of app: APNsSettings.App, _ host: PushServiceHost
    ) throws(ConfigurationError) -> ES256PrivateKey {
        let (key, path) = ("\(app.place).keyPath", app.keyPath)
        let pem = try host.contents(of: path, key: key, expected: "the path of the .p8 file")
        do {
            return try ES256PrivateKey(pem: String(decoding: pem, as: UTF8.self))
        } catch {
            throw ConfigurationError(key: key, problem: "\(path) is not a .p8 key: \(error.reason)")
        }
    }
}
