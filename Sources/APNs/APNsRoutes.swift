internal import Messaging

/// One way to APNs: an app, an environment's host, and the provider token to go there with.
struct APNsRoute: Sendable {
    let topic: String
    let environment: APNsEnvironment
    /// Scheme, host and port.
    let baseURL: String
    let tokens: ProviderTokenSource
}

/// The ways to APNs of all apps, with one provider token for each key.
struct APNsRoutes: Sendable {
    private struct Sender: Sendable {
        let app: APNsApp
        let tokens: ProviderTokenSource
    }

    private let standard: Sender
    private let others: [Sender]

    /// - Parameters:
    ///   - previous: what is replaced; keys that stay keep their token.
    ///   - now: seconds since 1970.
    init(_ apps: APNsApps, replacing previous: APNsRoutes? = nil, now: @escaping @Sendable () -> Int64) {
        var sources = previous.map { ([$0.standard] + $0.others).map(\.tokens) } ?? []
        func sender(_ app: APNsApp) -> Sender {
            let known = sources.first { $0.signs(for: app) }
            let tokens = known ?? ProviderTokenSource(app, now: now)
            if known == nil { sources.append(tokens) }
            return Sender(app: app, tokens: tokens)
        }
        standard = sender(apps.standard)
        others = apps.others.map(sender)
    }

    var description: String { APNsApps(standard.app, others.map(\.app)).description }

    /// The routes to try for a lane: the other environment second when the lane names none, unless it has the same host.
    func routes(for lane: Lane) -> (first: APNsRoute, second: APNsRoute?) {
        let first = route(topic: lane.topic, in: lane.environment)
        guard lane.environment == nil else { return (first, nil) }
        let second = route(topic: lane.topic, in: first.environment == .sandbox ? .production : .sandbox)
        return (first, second.baseURL == first.baseURL ? nil : second)
    }

    private func route(topic: String?, in environment: APNsEnvironment?) -> APNsRoute {
        let sender = sender(topic: topic, in: environment)
        let environment = environment ?? sender.app.environment
        return APNsRoute(
            topic: topic ?? sender.app.bundleID, environment: environment,
            baseURL: sender.app.baseURL(in: environment), tokens: sender.tokens)
    }

    /// The entry for an app in an environment; for the app in any when there is none for this one.
    private func sender(topic: String?, in environment: APNsEnvironment?) -> Sender {
        let entries = ([standard] + others).filter { $0.app.bundleID == topic ?? standard.app.bundleID }
        return entries.first { environment == nil || $0.app.environment == environment } ?? entries.first ?? standard
    }
}
