import JSON
import NIOHPACK
import SimulatorTools
import Testing

@testable import APNsSimulator

@Suite("The simulator's management of channels")
struct ChannelManagementTests {
    private let stage: ChannelStage

    init() throws { stage = try ChannelStage() }

    @Test("A channel is created, read, listed and deleted, and its id is not used again")
    func life() throws {
        let created = try stage.manage(
            "POST", body: ["message-storage-policy": 1, "push-type": "LiveActivity"],
            with: ["apns-request-id": SampleRequest.id])
        #expect(created.status == 201 && created.body.isEmpty)
        #expect(created.headers["apns-request-id"] == [SampleRequest.id] && created.headers["apns-id"] == [])
        let id = try #require(created.headers["apns-channel-id"].first)

        let read = try stage.manage("GET", channel: id)
        #expect(read.status == 200)
        #expect(try JSONValue(parsing: read.body) == ["message-storage-policy": 1, "push-type": "LiveActivity"])
        let other = try stage.create()
        _ = try stage.create(for: "com.example.other")
        let listed = try stage.manage("GET", "/1/apps/com.example.app/all-channels")
        let ids = try JSONValue(parsing: listed.body)["channels"]?.array?.compactMap(\.string)
        #expect(listed.status == 200 && Set(ids ?? []) == [id, other])

        #expect(try stage.manage("DELETE", channel: id).summary == "204")
        #expect(try stage.manage("DELETE", channel: id).summary == "410 ChannelNotRegistered")
        #expect(try stage.manage("GET", channel: id).summary == "410 ChannelNotRegistered")
        #expect(try stage.create() != id)
        #expect(stage.history.counters.channelsCreated == 4 && stage.history.counters.channelsDeleted == 1)
        #expect(stage.history.counters.requests == 0 && stage.history.counters.channelRequests == 9)
    }

    @Test(
        "A creation with a body that Apple does not accept is refused",
        arguments: [
            (["message-storage-policy": 0], "400 MissingPushType"),
            (["message-storage-policy": 0, "push-type": "liveactivity"], "400 InvalidPushType"),
            (["message-storage-policy": 2, "push-type": "LiveActivity"], "400 PayloadEmpty"),
            (["push-type": "LiveActivity"], "400 PayloadEmpty"), (nil, "400 PayloadEmpty"), ([], "400 PayloadEmpty"),
        ] as [(JSONValue?, String)])
    func invalidCreation(body: JSONValue?, answer: String) throws {
        #expect(try stage.manage("POST", body: body).summary == answer)
        #expect(stage.table.channels().isEmpty)
    }

    @Test("A request about an unknown, missing or foreign channel is refused", arguments: ["GET", "DELETE"])
    func unknownChannel(method: String) throws {
        #expect(try stage.manage(method).summary == "400 MissingChannelId")
        #expect(try stage.manage(method, channel: "dGVzdA==").summary == "400 BadChannelId")
        let foreign = try stage.create(for: "com.example.other")
        #expect(try stage.manage(method, channel: foreign).summary == "400 TopicMismatch")
        #expect(stage.table.channels().map(\.id) == [foreign])
    }

    @Test(
        "The host for channels refuses other paths and methods",
        arguments: [
            ("GET", "/", "404 BadPath"), ("POST", "/3/device/ab", "404 BadPath"),
            ("POST", "/4/broadcasts/apps/com.example.app", "404 BadPath"),
            ("GET", "/1/apps/com.example.app", "404 BadPath"),
            ("GET", "/1/apps/com.example.app/channels/x", "404 BadPath"),
            ("PUT", "/1/apps/com.example.app/channels", "405 MethodNotAllowed"),
            ("POST", "/1/apps/com.example.app/all-channels", "405 MethodNotAllowed"),
            ("GET", "/1/apps//all-channels", "400 BadTopic"),
        ])
    func paths(method: String, path: String, answer: String) throws {
        #expect(try stage.manage(method, path).summary == answer)
    }

    @Test("A request about channels needs a provider token, a known app and the capability")
    func access() throws {
        #expect(try stage.manage("GET", with: ["authorization": "bearer x"]).summary == "403 InvalidProviderToken")
        #expect(try stage.manage("GET", with: ["apns-request-id": "x"]).summary == "400 BadMessageId")
        stage.rules.topics = ["com.example.app"]
        #expect(try stage.manage("GET", "/1/apps/com.other/all-channels").summary == "400 TopicDisallowed")
        stage.rules.appsWithoutBroadcasts = ["com.example.app"]
        #expect(try stage.manage("GET", "/1/apps/com.example.app/all-channels").summary == "400 FeatureNotEnabled")
        #expect(try stage.publish(to: "dGVzdA==").summary == "400 FeatureNotEnabled")
    }

    @Test("An app has at most as many channels as the limit, and each deletion makes room for one")
    func limit() throws {
        let stage = try ChannelStage(limit: 2)
        let first = try stage.create()
        _ = try stage.create()
        let body: JSONValue = ["message-storage-policy": 0, "push-type": "LiveActivity"]
        #expect(try stage.manage("POST", body: body).summary == "400 CannotCreateChannelConfig")
        #expect(try !stage.create(for: "com.example.other").isEmpty)
        _ = try stage.manage("DELETE", channel: first)
        #expect(try stage.manage("POST", body: body).summary == "201")
        #expect(stage.table.peak == 2)
    }

    @Test("A scripted error for channels is answered without an effect, and leaves notifications alone")
    func scripted() throws {
        stage.scripts.answers.append([.rejecting(.serviceUnavailable)], for: "channels")
        let body: JSONValue = ["message-storage-policy": 0, "push-type": "LiveActivity"]
        #expect(try stage.manage("POST", body: body).summary == "503 ServiceUnavailable")
        #expect(stage.table.channels().isEmpty)
        let channel = try stage.create()
        stage.scripts.answers.append([.rejecting(.tooManyRequests)], for: "broadcasts")
        #expect(try stage.publish(to: channel).summary == "429 TooManyRequests")
        #expect(try stage.publish(to: channel).summary == "200")
        #expect(stage.table.channels().first?.broadcasts == 1)
    }
}
