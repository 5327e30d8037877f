import Cryptography
import HTTP2Client
import Messaging
import Testing

@testable import APNs

@Suite("Routes to APNs")
struct APNsRoutesTests {
    private let key: ES256PrivateKey

    init() throws { key = try ES256PrivateKey.generate() }

    private func app(
        _ bundleID: String, key: ES256PrivateKey? = nil, keyID: String = "KEY",
        _ environment: APNsEnvironment = .sandbox,
        endpoint: String? = nil
    ) -> APNsApp {
        APNsApp(
            bundleID: bundleID, key: key ?? self.key, keyID: keyID, teamID: "TEAM", environment: environment,
            endpoint: endpoint.flatMap(HTTP2Origin.init))
    }

    private func routes(_ apps: APNsApps, replacing previous: APNsRoutes? = nil) -> APNsRoutes {
        APNsRoutes(apps, replacing: previous, now: { 0 })
    }

    private func lane(_ topic: String? = nil, _ environment: APNsEnvironment? = nil) -> Lane {
        Lane(transport: .apns, app: AppIdentity(bundleID: topic, environment: environment))
    }

    @Test("A lane without topic and environment routes to the standard app, its own environment first")
    func nothingNamed() throws {
        let (first, second) = routes(APNsApps(app("one", .production), [app("two")])).routes(for: lane())
        #expect(first.topic == "one" && first.environment == .production)
        #expect(first.origin.url == "https://api.push.apple.com")
        #expect(second?.topic == "one" && second?.environment == .sandbox)
        #expect(second?.origin.url == "https://api.sandbox.push.apple.com")
    }

    @Test("Channels are managed at hosts of their own, and broadcasts go where notifications go")
    func channelHosts() {
        let app = app("one")
        #expect(app.broadcastOrigin(in: .production).hostAndPort == "api.push.apple.com:443")
        #expect(app.broadcastOrigin(in: .sandbox).hostAndPort == "api.sandbox.push.apple.com:443")
        #expect(app.channelOrigin(in: .production)?.hostAndPort == "api-manage-broadcast.push.apple.com:2196")
        #expect(app.channelOrigin(in: .sandbox)?.hostAndPort == "api-manage-broadcast.sandbox.push.apple.com:2195")
    }

    @Test("An app with another endpoint has channels only if it names their endpoint, and may publish elsewhere")
    func channelEndpoints() {
        var app = app("one", endpoint: "https://localhost:1")
        #expect(app.broadcastOrigin(in: .production).url == "https://localhost:1")
        #expect(app.channelOrigin(in: .production) == nil)
        app.channelEndpoint = HTTP2Origin(host: "localhost", port: 2)
        app.broadcastEndpoint = HTTP2Origin(host: "localhost", port: 3)
        for environment in APNsEnvironment.allCases {
            #expect(app.channelOrigin(in: environment)?.url == "https://localhost:2")
            #expect(app.broadcastOrigin(in: environment).url == "https://localhost:3")
        }
    }

    @Test("A lane that names its environment, or whose environments share a host, has one route")
    func oneRoute() {
        let routes = routes(APNsApps(app("one"), [app("two", endpoint: "https://localhost:1")]))
        let (named, none) = routes.routes(for: lane("one", .production))
        #expect(named.origin.url == "https://api.push.apple.com" && none == nil)
        let (simulated, other) = routes.routes(for: lane("two"))
        #expect(simulated.origin.url == "https://localhost:1" && other == nil)
    }

    @Test("An environment that Apple does not have counts as none, and its lane is resolved to the app's own")
    func unknownEnvironment() {
        let staging = AppIdentity(bundleID: "one", environment: "staging")
        let (first, second) = routes(APNsApps(app("one", .production)))
            .routes(for: Lane(transport: .apns, app: staging))
        #expect(first.environment == .production && second?.environment == .sandbox)
        #expect(first.app == AppIdentity(bundleID: "one", environment: "production"))
    }

    @Test("A route uses the app's key for its environment, and the standard key for unconfigured apps")
    func keys() {
        let routes = routes(
            APNsApps(app("one"), [app("two", keyID: "SANDBOX"), app("two", keyID: "LIVE", .production)]))
        #expect(routes.routes(for: lane("one")).first.tokens.name == "TEAM/KEY")
        let (first, second) = routes.routes(for: lane("two"))
        #expect(first.tokens.name == "TEAM/SANDBOX" && second?.tokens.name == "TEAM/LIVE")
        #expect(routes.routes(for: lane("two", .production)).first.tokens.name == "TEAM/LIVE")
        let stranger = routes.routes(for: lane("three")).first
        #expect(stranger.tokens.name == "TEAM/KEY" && stranger.topic == "three")
    }

    @Test("Routes accept the topics of configured apps with any suffix, and other topics only if allowed")
    func topics() {
        var apps = APNsApps(app("com.one"), [app("com.two", keyID: "TWO")], moreBundleIDs: ["com.three"])
        let routes = routes(apps)
        for id in ["com.one", "com.two", "com.three"] {
            #expect(routes.sends(to: id))
            for type in APNsPushType.allCases { #expect(routes.sends(to: id + type.topicSuffix)) }
        }
        for topic in [
            "", "com.four", "com.four.voip", "com.one.widget", "com.one.voip.voip", ".voip", "Com.one", "com.on",
        ] {
            #expect(!routes.sends(to: topic), "\(topic)")
        }
        let route = routes.routes(for: lane("com.two.voip")).first
        #expect(route.tokens.name == "TEAM/TWO" && route.topic == "com.two.voip" && route.bundleID == "com.two")
        #expect(routes.routes(for: lane("com.three")).first.tokens.name == "TEAM/KEY")
        apps.allowsUnconfigured = true
        #expect(self.routes(apps).sends(to: "com.four"))
    }

    @Test("Routes with one key share a provider token, which outlives a replacement of the apps")
    func tokens() throws {
        let before = routes(APNsApps(app("one"), [app("two")]))
        let token = try before.routes(for: lane("one")).first.tokens.authorization()
        #expect(try before.routes(for: lane("two")).first.tokens.authorization() == token)
        let after = routes(APNsApps(app("three"), [app("one", key: try .generate())]), replacing: before)
        #expect(try after.routes(for: lane("three")).first.tokens.authorization() == token)
        #expect(try after.routes(for: lane("one")).first.tokens.authorization() != token)
    }
}
