import HTTP2Client
import Messaging

/// A path to APNs: an app, an environment's host, and the source of the provider tokens for it.
struct APNsRoute: Sendable {
    /// The app's bundle id, or one of its topics with a suffix.
    let topic: String
    let bundleID: String
    let environment: APNsEnvironment
    let origin: HTTP2Origin
    /// The server for broadcasts.
    let broadcastOrigin: HTTP2Origin
    /// The server for the management of channels; `nil` if there is none.
    let channelOrigin: HTTP2Origin?
    let tokens: ProviderTokenSource

    /// The app and environment, as an address names them.
    var app: AppIdentity { AppIdentity(bundleID: topic, environment: environment) }
}

/// The routes to APNs of all apps, with one source of provider tokens for each key. It is a class, because each message
/// takes it several times and would copy all its parts.
final class APNsRoutes: Sendable {
    private struct Sender: Sendable {
        let app: APNsApp
        let tokens: ProviderTokenSource
    }

    private let standard: Sender
    /// ``standard`` and the other apps.
    private let senders: [Sender]
    let apps: APNsApps
    /// The bundle ids of all configured apps.
    private let bundleIDs: Set<String>

    /// Creates the routes of a configuration.
    ///
    /// - Parameters:
    ///   - previous: the routes to replace; keys that stay keep their token.
    ///   - now: seconds since 1970.
    init(_ apps: APNsApps, replacing previous: APNsRoutes? = nil, now: @escaping @Sendable () -> Int64) {
        var sources = previous.map { $0.senders.map(\.tokens) } ?? []
        func sender(_ app: APNsApp) -> Sender {
            let known = sources.first { $0.signs(for: app) }
            let tokens = known ?? ProviderTokenSource(app, now: now)
            if known == nil { sources.append(tokens) }
            return Sender(app: app, tokens: tokens)
        }
        standard = sender(apps.standard)
        senders = [standard] + apps.others.map(sender)
        self.apps = apps
        bundleIDs = apps.moreBundleIDs.union(([apps.standard] + apps.others).map(\.bundleID))
    }

    var description: String { apps.description }

    /// The server for registrations that name no app.
    var standardOrigin: HTTP2Origin { standard.app.origin(in: standard.app.environment) }

    /// Returns `true` if a topic is the bundle id of a configured app, without a suffix.
    func isConfigured(bundleID topic: String) -> Bool { bundleIDs.contains(topic) }

    /// Returns `true` if the gateway sends to a topic: the bundle id of a configured app, also with the suffix of a
    /// push type, or any topic if that is allowed.
    func sends(to topic: String) -> Bool { apps.allowsUnconfigured || configuredBundleID(of: topic) != nil }

    private func configuredBundleID(of topic: String) -> String? {
        if bundleIDs.contains(topic) { return topic }
        return APNsPushType.topicSuffixes.lazy.filter { topic.hasSuffix($0) }
            .map { String(topic.dropLast($0.count)) }.first(where: bundleIDs.contains)
    }

    /// Returns the routes to try for a lane. If the lane names no environment, the second route is the other
    /// environment, unless it has the same host.
    func routes(for lane: Lane) -> (first: APNsRoute, second: APNsRoute?) {
        let app = lane.app
        let first = route(topic: app.bundleID, in: app.apnsEnvironment)
        guard app.apnsEnvironment == nil else { return (first, nil) }
        let second = route(topic: app.bundleID, in: first.environment == .sandbox ? .production : .sandbox)
        return (first, second.origin == first.origin ? nil : second)
    }

    private func route(topic: String?, in environment: APNsEnvironment?) -> APNsRoute {
        let bundleID = topic.map { configuredBundleID(of: $0) ?? $0 } ?? standard.app.bundleID
        let sender = sender(for: bundleID, in: environment)
        let environment = environment ?? sender.app.environment
        return APNsRoute(
            topic: topic ?? bundleID, bundleID: bundleID, environment: environment,
            origin: sender.app.origin(in: environment), broadcastOrigin: sender.app.broadcastOrigin(in: environment),
            channelOrigin: sender.app.channelOrigin(in: environment), tokens: sender.tokens)
    }

    /// Returns the entry for an app in an environment, or its entry for the other environment if there is none for
    /// this one.
    private func sender(for bundleID: String, in environment: APNsEnvironment?) -> Sender {
        let entries = senders.lazy.filter { $0.app.bundleID == bundleID }
        return entries.first { environment == nil || $0.app.environment == environment } ?? entries.first ?? standard
    }
}
