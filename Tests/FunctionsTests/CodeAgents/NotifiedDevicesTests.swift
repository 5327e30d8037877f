import DocumentStore
import Functions
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Selection of notified devices")
struct NotifiedDevicesTests {
    /// Registers devices by id and token and triggers with the exclusions. Returns the notified registrations, the
    /// number of excluded devices and the number of attempts.
    private func selection(
        _ phones: [(id: String, token: String)], _ exclusions: JSONObject
    ) async throws -> (registrations: [String], excluded: JSONValue?, attempted: JSONValue?) {
        let bench = try Bench()
        for phone in phones { _ = try await bench.register(.register(phone.id, token: phone.token)) }
        var body: JSONValue = nil
        try await bench.running { body = try await bench.trigger(.trigger(exclusions)).body }
        let registrations = bench.transport.sent.compactMap { $0.target.registration?.id }
        #expect(body["attempted"] == .integer(Int64(registrations.count)))
        return (registrations.sorted(), body["excluded"], body["attempted"])
    }

    @Test(
        "Excluded devices are left out and counted",
        arguments: [
            ([:], ["a", "b", "c"], 0),
            (["exclude_installation_id": "b"], ["a", "c"], 1),
            (["exclude_installation_id": "B"], ["a", "b", "c"], 0),
            (["exclude_installation_id": " b "], ["a", "c"], 1),
            (["exclude_installation_id": "none"], ["a", "b", "c"], 0),
            (["exclude_installation_id": ""], ["a", "b", "c"], 0),
            (["exclude_fcm_token": "tb"], ["a", "c"], 1),
            (["exclude_fcm_token": "TB"], ["a", "b", "c"], 0),
            (["exclude_fcm_token": "none"], ["a", "b", "c"], 0),
            (["exclude_installation_id": "a", "exclude_fcm_token": "tb"], ["c"], 2),
            (["exclude_installation_id": "a", "exclude_fcm_token": "ta"], ["b", "c"], 1),
        ] as [(JSONObject, [String], Int64)])
    func distinctTokens(exclusions: JSONObject, expected: [String], excluded: Int64) async throws {
        let result = try await selection([("a", "ta"), ("b", "tb"), ("c", "tc")], exclusions)
        #expect(result.registrations == expected)
        #expect(result.excluded == .integer(excluded))
    }

    @Test(
        "An exclusion applies to every device with the token, and of equal tokens the first is notified",
        arguments: [
            ([:], ["a", "c"], 2),
            (["exclude_installation_id": "a"], ["c"], 3),
            (["exclude_installation_id": "b"], ["c"], 3),
            (["exclude_installation_id": "c"], ["a"], 3),
            (["exclude_fcm_token": "t1"], ["c"], 3),
            (["exclude_fcm_token": "t2"], ["a"], 3),
            (["exclude_installation_id": "none", "exclude_fcm_token": "none"], ["a", "c"], 2),
        ] as [(JSONObject, [String], Int64)])
    func equalTokens(exclusions: JSONObject, expected: [String], excluded: Int64) async throws {
        let result = try await selection([("a", "t1"), ("b", "t1"), ("c", "t2"), ("d", "t2")], exclusions)
        #expect(result.registrations == expected)
        #expect(result.excluded == .integer(excluded))
    }

    @Test("An excluded installation with an invalid id excludes no device")
    func impossible() async throws {
        let result = try await selection([("a", "ta")], ["exclude_installation_id": "a/b"])
        #expect(result.registrations == ["a"])
    }

    @Test("Tokens that look alike but have different bytes are two devices")
    func tokensByBytes() async throws {
        let phones = [("a", "token-é"), ("b", "token-e\u{301}")]
        let all = try await selection(phones, [:])
        #expect(all.registrations == ["a", "b"] && all.excluded == 0)
        let one = try await selection(phones, ["exclude_fcm_token": "token-e\u{301}"])
        #expect(one.registrations == ["a"] && one.excluded == 1)
        let other = try await selection(phones, ["exclude_installation_id": "b"])
        #expect(other.registrations == ["a"] && other.excluded == 1)
    }

    @Test("Installation ids that look alike but have different bytes are two installations")
    func exact() async throws {
        let result = try await selection([("é", "t1"), ("e\u{301}", "t2")], ["exclude_installation_id": "é"])
        #expect(result.registrations.map { Array($0.utf8) } == [Array("e\u{301}".utf8)])
        #expect(result.excluded == 1)
    }

    @Test("A device without a token is left out and counted")
    func noToken() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        _ = try await bench.disk.documents.commit([
            .set(try DocumentPath(Bench.device("broken")), ["platform": "ios"])
        ])
        try await bench.running {
            let body = try await bench.trigger().body
            #expect(body["attempted"] == 1)
            #expect(body["excluded"] == 1)
        }
    }

    @Test("All 1,200 devices of one agent are notified once")
    func many() async throws {
        let bench = try Bench()
        _ = try await bench.register(.register("phone", token: "t0"))
        let devices = try (1..<1_200).map { number in
            Write.set(try DocumentPath(Bench.device("p\(number)")), ["fcmToken": .string("t\(number)")])
        }
        _ = try await bench.disk.documents.commit(devices)
        try await bench.running {
            let body = try await bench.trigger().body
            #expect(body["attempted"] == 1_200)
            #expect(body["sent"] == 1_200)
            try await eventually("all outcomes are stored") {
                let chunks = try await bench.disk.documents.documents(matching: .collectionGroup("messages"))
                return chunks.map(\.settledStates.count).filter { $0 > 0 }.sorted() == [200, 500, 500]
            }
        }
        #expect(Set(bench.transport.tokens).count == 1_200)
        #expect(bench.transport.sent.count == 1_200)
    }
}
