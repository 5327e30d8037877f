import APNs
import HTTP2Client
import Messaging
import Settings

/// The examination of the keys and of the way to Apple.
extension APNsService {
    static func checkCredentials(_ settings: APNsSettings, host: PushServiceHost) throws(ConfigurationError) {
        _ = try apps(settings, host)
    }

    static func examine(_ settings: APNsSettings, host: PushServiceHost) async -> [Finding] {
        guard let apps = try? Self.apps(settings, host) else { return [] }
        var findings: [Finding] = []
        for app in [apps.standard] + apps.others {
            var client = HTTP2Client.Configuration()
            (client.caFile, client.proxy) = (settings.caFile, settings.proxy)
            // Apple ties a connection to one key, so each app has a client of its own.
            let connection = HTTP2Client(configuration: client, logger: host.logger)
            let probe = await APNsProbe(of: app, by: connection, now: host.now())
            await connection.shutdown(within: .zero)
            findings.append(finding(probe, app))
            findings += [clock(probe)].compactMap(\.self)
            // A refused key says nothing about channels.
            guard probe.verdict == .accepted else { continue }
            findings += [await channels(of: app, client, host)].compactMap(\.self)
        }
        return findings
    }

    private static func finding(_ probe: APNsProbe, _ app: APNsApp) -> Finding {
        let (part, app) = ("apns", "key \(app.keyID) of team \(app.teamID) for \(app.bundleID), \(probe.environment)")
        func failed(_ fact: String, _ reason: String, _ advice: String) -> Finding {
            .failed(part, "\(app): \(fact)", because: reason, advice: advice)
        }
        let consequence = "No notification of this app is delivered; accepted ones are kept."
        switch probe.verdict {
        case .accepted: return .ok(part, "\(app): \(probe.host) accepts it")
        case .keyRefused(let reason):
            return failed(
                "Apple refuses the key (\(reason))", consequence,
                "Compare apns.keyId and apns.teamId with developer.apple.com → Keys and Membership; the key must be for "
                    + "the Apple Push Notifications service and not revoked.")
        case .wrongEnvironment:
            return failed(
                "the key is not for this environment", consequence,
                "Set apns.environment to the other one, or create a key for both at developer.apple.com → Keys.")
        case .wrongTime:
            return failed(
                "Apple says that the provider token is not of this hour", consequence,
                "Set this machine's clock, by NTP: timedatectl set-ntp true.")
        case .topicRefused(let reason):
            return failed(
                "Apple refuses the topic (\(reason))", consequence,
                "Set apns.bundleId to the app's bundle id; the app must belong to the team of the key.")
        case .other(let status, let reason):
            return .warning(
                part, "\(app): \(probe.host) answered \(status) \(reason)",
                because: "This says nothing about the key.", advice: "Try again in a few minutes.")
        case .failed(let error):
            return failed("no answer from \(probe.host): \(error.message)", consequence, way(error))
        }
    }

    /// The number of channels from which on the limit is near.
    private static let manyChannels = 9_000

    /// Returns a finding about the broadcast channels of an app; `nil` if it has none by its settings.
    private static func channels(
        of app: APNsApp, _ configuration: HTTP2Client.Configuration, _ host: PushServiceHost
    ) async -> Finding? {
        let client = HTTP2Client(configuration: configuration, logger: host.logger)
        let transport = APNsTransport(
            apps: APNsApps(app), client: client, window: 1, now: host.now, logger: host.logger)
        let named = AppIdentity(bundleID: app.bundleID, environment: app.environment.rawValue)
        guard let identity = transport.channels.resolved(named) else {
            await client.shutdown(within: .zero)
            return nil
        }
        let result: Result<Int, ChannelError>
        do throws(ChannelError) {
            result = .success(try await transport.channels.channels(of: identity).count)
        } catch {
            result = .failure(error)
        }
        await client.shutdown(within: .zero)
        return finding(result, "\(app.bundleID), \(app.environment.rawValue)")
    }

    private static func finding(_ result: Result<Int, ChannelError>, _ app: String) -> Finding {
        let part = "channels"
        switch result {
        case .success(let count) where count >= Self.manyChannels:
            return .warning(
                part, "\(app): \(count) of at most 10,000 channels",
                because: "Near the limit Live Activities start without a channel, and depend on update tokens.",
                advice: "“pushgate channels list” shows those of cards, and with --unknown those that no card has.")
        case .success(let count): return .ok(part, "\(app): \(count) of at most 10,000 channels")
        case .failure(let error) where error.kind == .featureOff:
            return .ok(part, "\(app): none, as it lacks the capability Broadcast, which Live Activities need")
        case .failure(let error):
            return .warning(
                part, "\(app): Apple does not list the channels: \(error.reason)",
                because: "Live Activities start without a channel, and depend on update tokens. Nothing else does.",
                advice: "Open outgoing connections to api-manage-broadcast.push.apple.com, port 2196, and in the "
                    + "sandbox to api-manage-broadcast.sandbox.push.apple.com, port 2195.")
        }
    }

    private static func way(_ error: HTTP2ClientError) -> String {
        switch error.kind {
        case .proxy: "Correct apns.proxy, or HTTPS_PROXY of the environment."
        case .tls:
            "Check the trusted authorities (apns.caFile, ca-certificates), and that no other program intercepts TLS."
        default: "Check the name server and the firewall: outgoing connections to the push service must be open."
        }
    }

    /// The difference between clocks that Apple tolerates for certain, in seconds.
    private static let clockTolerance: Int64 = 300

    private static func clock(_ probe: APNsProbe) -> Finding? {
        guard let ahead = probe.secondsAhead else { return nil }
        guard abs(ahead) > Self.clockTolerance else {
            return .ok("clock", "within \(max(abs(ahead), 1)) s of the clock of \(probe.host)")
        }
        return .failed(
            "clock",
            "this machine's clock is \(abs(ahead)) s \(ahead > 0 ? "ahead of" : "behind") that of \(probe.host)",
            because: "Apple refuses provider tokens of another hour.",
            advice: "Set the clock, by NTP: timedatectl set-ntp true.")
    }
}
