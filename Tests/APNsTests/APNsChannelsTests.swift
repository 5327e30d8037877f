import APNsSimulator
import Cryptography
import DocumentStore
import Foundation
import HTTP2Client
import JSON
import Messaging
import TestDoubles
import Testing

@testable import APNs

/// Tests of the client of channels against the simulator, over real connections.
@Suite("Channels at APNs", .timeLimit(.minutes(10)))
struct APNsChannelsTests {
    private let app = AppIdentity(bundleID: "com.example.app")

    /// Runs a simulator and a client of its channels for the duration of the body.
    private func withChannels(
        _ configure: (inout APNsSimulatorConfiguration) -> Void = { _ in },
        _ body: (APNsSimulator, APNsTransport) async throws -> Void
    ) async throws {
        var simulatorConfiguration = APNsSimulatorConfiguration()
        simulatorConfiguration.rules.isStrict = true
        configure(&simulatorConfiguration)
        let simulator = APNsSimulator(configuration: simulatorConfiguration)
        let addresses = try await simulator.start()
        var configuration = HTTP2Client.Configuration()
        configuration.caFile = addresses.certificateAuthorityPath
        let client = HTTP2Client(configuration: configuration, logger: .silent)
        let pem = try String(contentsOfFile: try #require(addresses.providerKeyPath), encoding: .utf8)
        let app = APNsApp(
            bundleID: "com.example.app", key: try ES256PrivateKey(pem: pem), keyID: addresses.providerKeyID ?? "",
            teamID: addresses.providerTeamID ?? "", endpoint: HTTP2Origin(addresses.apns),
            channelEndpoint: HTTP2Origin(addresses.channels))
        let transport = APNsTransport(
            apps: APNsApps(app), client: client, window: 100, now: { Timestamp.now.seconds }, logger: .silent)
        do {
            try await body(simulator, transport)
        } catch {
            await client.shutdown(within: .zero)
            await simulator.shutdown()
            throw error
        }
        await client.shutdown(within: .zero)
        await simulator.shutdown()
    }

    private func update(_ step: Int64) throws -> ChannelBroadcast {
        let now = Timestamp.now.seconds
        return try LiveActivity(.update, timestamp: now, contentState: ["step": .integer(step)])
            .broadcast(at: now, expiration: 0)
    }

    private func error(_ body: () async throws -> Void) async throws -> ChannelError {
        try await #require(throws: ChannelError.self) { try await body() }
    }

    @Test("A channel is created, listed, published to and deleted", arguments: [ChannelStorage.nothing, .newest])
    func life(storage: ChannelStorage) async throws {
        try await withChannels { simulator, transport in
            let channels = transport.channels
            let id = try await channels.create(for: app, storing: storage)
            #expect(simulator.channels(of: "com.example.app").map(\.id) == [id.rawValue])
            #expect(simulator.channels().first?.storesNewest == (storage == .newest))
            #expect(try await channels.channels(of: app) == [id])
            try await channels.publish(update(1), to: id, of: app)
            let received = try #require(simulator.received().first)
            #expect(received.channel == id.rawValue && received.isAccepted && received.topic == nil)
            #expect(received.payload?["aps"]?["content-state"] == ["step": 1])
            #expect(received.priority == "5" && received.expiration == "0" && received.pushType == "liveactivity")
            try await channels.delete(id, of: app)
            #expect(simulator.channels().isEmpty)
            #expect(try await channels.channels(of: app) == [])
        }
    }

    @Test("A card that is started by push follows its channel without an update token")
    func card() async throws {
        try await withChannels { simulator, transport in
            let phone = SimulatedPhone(bundleID: "com.example.app", pushToStartToken: token(1))
            simulator.connect(phone)
            let channel = try await transport.channels.create(for: app, storing: .nothing)
            let now = Timestamp.now.seconds
            let start = LiveActivity(
                .start(.init(attributesType: "Run", attributes: ["id": "r"], input: .channel(channel))),
                timestamp: now, contentState: ["step": 0], alert: .init(title: "Run", body: "Started"))
            let message = try start.message(to: RegistrationToken(token(1)), at: now)
            #expect(await transport.send(message, to: token(2)) == .accepted)
            #expect(phone.cards.map(\.channel) == [channel.rawValue])
            for step in 1...3 { try await transport.channels.publish(update(Int64(step)), to: channel, of: app) }
            #expect(phone.cards.first?.contentState == ["step": 3] && phone.cards.first?.updates == 3)
            let later = Timestamp.now.seconds
            let end = LiveActivity(.end(dismissal: later - 1), timestamp: later, contentState: ["step": 4])
            try await transport.channels.publish(end.broadcast(at: later, expiration: 0), to: channel, of: app)
            #expect(phone.cards.first?.isEnded == true && phone.cards.first?.isVisible(at: later) == false)
        }
    }

    @Test("Errors of channels have their kinds")
    func errors() async throws {
        try await withChannels({ $0.channelLimit = 1 }) { simulator, transport in
            let channels = transport.channels
            let id = try await channels.create(for: app, storing: .nothing)
            let full = try await error { _ = try await channels.create(for: app, storing: .nothing) }
            #expect(full == ChannelError(.limitReached, reason: "CannotCreateChannelConfig"))
            let late = ChannelBroadcast(payload: try update(1).payload, priority: 5, expiration: 4_000_000_000)
            let wrong = try await error { try await channels.publish(late, to: id, of: app) }
            #expect(wrong == ChannelError(.invalidRequest, reason: "BadExpirationDate"))
            try await channels.delete(id, of: app)
            let deleted = try await error { try await channels.publish(update(1), to: id, of: app) }
            #expect(deleted == ChannelError(.unknownChannel, reason: "ChannelNotRegistered"))
            let unknown = try await error { try await channels.delete(ChannelID(rawValue: "dGVzdA=="), of: app) }
            #expect(unknown == ChannelError(.unknownChannel, reason: "BadChannelId"))
            let requests = simulator.counters.channelRequests
            let impossible = try await error { try await channels.delete(ChannelID(rawValue: "a\r\nb"), of: app) }
            #expect(impossible == unknown && simulator.counters.channelRequests == requests)
        }
    }

    @Test("An app without the capability, and one that is not configured, has no channels")
    func noChannels() async throws {
        try await withChannels({ $0.rules.appsWithoutBroadcasts = ["com.example.app"] }) { simulator, transport in
            let off = try await error { _ = try await transport.channels.create(for: app, storing: .nothing) }
            #expect(off == ChannelError(.featureOff, reason: "FeatureNotEnabled"))
            let other = AppIdentity(bundleID: "com.example.other")
            let strange = try await error { _ = try await transport.channels.create(for: other, storing: .nothing) }
            #expect(strange == ChannelError(.wrongApp, reason: "AppNotConfigured"))
            #expect(simulator.counters.channelRequests == 1)
            #expect(transport.channels.resolved(other) == nil)
            #expect(transport.channels.resolved(app) == AppIdentity(bundleID: "com.example.app", environment: .sandbox))
        }
    }

    @Test("An expired provider token leads to one repetition, also of a creation")
    func expiredProviderToken() async throws {
        try await withChannels { simulator, transport in
            simulator.script(token: "channels", answers: [.rejecting(.expiredProviderToken)])
            _ = try await transport.channels.create(for: app, storing: .nothing)
            #expect(simulator.channels().count == 1 && simulator.counters.channelRequests == 2)
        }
    }

    @Test("A creation that the service fails may have happened, and is not repeated")
    func unavailable() async throws {
        try await withChannels { simulator, transport in
            simulator.script(token: "channels", answers: [.rejecting(.serviceUnavailable, retryAfter: 7)])
            let failed = try await error { _ = try await transport.channels.create(for: app, storing: .nothing) }
            #expect(
                failed
                    == ChannelError(
                        .unavailable, reason: "ServiceUnavailable", retryAfter: .seconds(7), mayHaveHappened: true))
            #expect(simulator.counters.channelRequests == 1)
        }
    }
}
