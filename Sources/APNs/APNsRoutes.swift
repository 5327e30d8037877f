internal import HTTP2Client
internal import Messaging

/// One way to APNs: an app, an environment's host, and the provider token to go there with.
struct APNsRoute: Sendable {
    /// The app's bundle id, or one of its topics with a suffix.
    let topic: String
    let bundleID: String
    let environment: APNsEnvironment
    let origin: HTTP2Origin
    let tokens: ProviderTokenSource
}

/// The ways to APNs of all apps, with one provider token for each key.
struct APNsRoutes: Sendable {
    private struct Sender: Sendable {
        let app: APNsApp
        let tokens: ProviderTokenSource
    }

    private let standard: Sender
    /// ``standard`` and the others.
    private let senders: [Sender]
    private let apps: APNsApps
    /// Of all apps that are configured.
    private let bundleIDs: Set<String>

    /// - Parameters:
    ///   - previous: what is replaced; keys that stay keep their token.
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

    /// The server of the app of registrations that name none.
    var standardOrigin: HTTP2Origin { standard.app.origin(in: standard.app.environment) }

    /// Returns whether a topic is the bundle id of a configured app, and not one with a suffix.
    func isConfigured(bundleID topic: String) -> Bool { bundleIDs.contains(topic) }

    /// Returns whether an app's topic is sent to: that of a configured app, also with the suffix of a push type, or any if that
    /// is allowed.
    func sends(to topic: String) -> Bool { apps.allowsUnconfigured || configuredBundleID(of: topic) != nil }

    private func configuredBundleID(of topic: String) -> String? {
        if bundleIDs.contains(topic) { return topic }
        return APNsPushType.topicSuffixes.lazy.filter { topic.hasSuffix($0) }
            .map { String(topic.dropLast($0.count)) }.first(where: bundleIDs.contains)
    }

    /// The routes to try for a lane: the other environment second when the lane names none, unless it has the same host.
    func routes(for lane: Lane) -> (first: APNsRoute, second: APNsRoute?) {
        let first = route(topic: lane.topic, in: lane.environment)
        guard lane.environment == nil else { return (first, nil) }
        let second = route(topic: lane.topic, in: first.environment == .sandbox ? .production : .sandbox)
        return (first, second.origin == first.origin ? nil : second)
    }

    private func route(topic: String?, in environment: APNsEnvironment?) -> APNsRoute {
        let bundleID = topic.map { configuredBundleID(of: $0) ?? $0 } ?? standard.app.bundleID
        let sender = sender(for: bundleID, in: environment)
        let environment = environment ?? sender.app.environment
        return APNsRoute(
            topic: topic ?? bundleID, bundleID: bundleID, environment: environment,
            origin: sender.app.origin(in: environment), tokens: sender.tokens)
    }

    /// The entry for an app in an environment; for the app in any when there is none for this one.
    private func sender(for bundleID: String, in environment: APNsEnvironment?) -> Sender {
        let entries = senders.lazy.filter { $0.app.bundleID == bundleID }
        return entries.first { environment == nil || $0.app.environment == environment } ?? entries.first ?? standard
    }
}
