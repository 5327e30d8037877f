import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

@Suite("Survey of browsers' registrations", .timeLimit(.minutes(10)))
struct SubscriptionSurveyTests {
    /// The part of an endpoint before its slash.
    private static func server(_ address: PushAddress) -> String? {
        address.token.value.split(separator: "/").first.map(String.init)
    }

    private func survey(_ stage: SubscriptionStage, keyReplacedAt time: Timestamp? = nil) async throws
        -> SubscriptionSurvey
    {
        try await stage.subscriptions.survey(
            keyReplacedAt: time, of: SubscriptionStage.service, server: Self.server)
    }

    @Test("The registrations of all systems and of FCM's clients count for their servers, those of phones do not")
    func servers() async throws {
        let stage = try SubscriptionStage()
        let paths = ["servers/a/devices/1", "servers/b/devices/1", "phones/1"]
        for (path, endpoint) in zip(paths, ["b/1", "a/1", "b/2"]) {
            _ = try await stage.register(path, try stage.subscription(endpoint))
        }
        _ = try await stage.resolver.token(of: try stage.subscription("c/1"), among: stage.subscriptions) {}
        let phone = SubscriptionStage.collections[0].fields.fields(of: PushAddress(token: "emulated:a"))
        _ = try await stage.disk.documents.commit([.set(try DocumentPath("servers/a/devices/2"), phone)])
        let servers = [("b", 2), ("a", 1), ("c", 1)].map { SubscriptionSurvey.Server(name: $0, registrations: $1) }
        let expected = SubscriptionSurvey(read: 4, isComplete: true, servers: servers)
        #expect(try await survey(stage) == expected)
        #expect(SubscriptionSurvey(expected.json) == expected)
    }

    @Test("A registration counts for the former key until it is renewed")
    func formerKey() async throws {
        let stage = try SubscriptionStage()
        for number in 1...3 {
            _ = try await stage.register("servers/a/devices/\(number)", try stage.subscription("\(number)"))
        }
        stage.clock.advance(by: .seconds(1))
        let time = stage.clock.timestamp
        #expect(try await survey(stage, keyReplacedAt: time).withFormerKey == 3)
        _ = try await stage.register("servers/a/devices/2", try stage.subscription("2"))
        let survey = try await survey(stage, keyReplacedAt: time)
        #expect(survey.withFormerKey == 2 && survey.read == 3)
        #expect(SubscriptionSurvey(survey.json) == survey)
        #expect(try await self.survey(stage).withFormerKey == nil)
    }

    @Test("A subscription of another push service counts for its server alone")
    func otherService() async throws {
        let stage = try SubscriptionStage()
        _ = try await stage.register("servers/a/devices/1", try stage.subscription("b/1"))
        let other = PushAddress(
            transport: TransportName(rawValue: "third"), token: RegistrationToken("relay/1"),
            attributes: AddressAttributes(secrets: ["secret": "s"]))
        let fields = SubscriptionStage.collections[0].fields.fields(of: other)
        _ = try await stage.disk.documents.commit([.set(try DocumentPath("servers/a/devices/2"), fields)])
        stage.clock.advance(by: .seconds(1))
        let survey = try await survey(stage, keyReplacedAt: stage.clock.timestamp)
        #expect(survey.read == 1 && survey.withFormerKey == 1)
        #expect(survey.servers.map(\.name) == ["b", "relay"])
    }

    @Test("Of many registrations a sample is read, and the 20 servers of most of them are named")
    func many() async throws {
        let stage = try SubscriptionStage()
        let fields = SubscriptionStage.collections[0].fields
        for start in stride(from: 0, to: 2_100, by: 700) {
            let writes = try (start..<start + 700).map { number in
                let subscription = try stage.subscription("\(number % 30)/\(number)")
                return Write.set(
                    try DocumentPath("servers/a/devices/\(number)"), fields.fields(of: subscription.address))
            }
            _ = try await stage.disk.documents.commit(writes)
        }
        let survey = try await survey(stage)
        #expect(survey.read == 2_000 && !survey.isComplete && survey.servers.count == 20)
        #expect(survey.servers.map(\.registrations) == survey.servers.map(\.registrations).sorted(by: >))
    }

    @Test(
        "A value of another form is no survey",
        arguments: [nil, [], [:], ["read": 1, "complete": true]] as [JSONValue])
    func otherForms(json: JSONValue) {
        #expect(SubscriptionSurvey(json) == nil)
    }
}
