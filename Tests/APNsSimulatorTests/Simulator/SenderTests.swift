import APNsSimulator
import HTTPClient
import HTTPTypes
import JSON
import Testing

@Suite("Real sender to the simulator", .timeLimit(.minutes(10)))
struct SenderTests {
    @Test("A push is accepted, answered with its id, and received as sent")
    func accepted() async throws {
        try await RunningSimulatorFixture.runWithSender { fixture, sender in
            let response = try await sender.push(
                to: "AB01", ["aps": ["alert": "Fertig 🎉"], "run": 7],
                ["apns-id": SampleRequest.id, "apns-priority": "5", "apns-collapse-id": "run-7"])
            #expect(response.statusCode == 200)
            #expect(response.body.isEmpty)
            #expect(response.headerFields[.apnsID] == SampleRequest.id)
            #expect(response.headerFields[.apnsUniqueID]?.utf8.count == 36)

            let received = fixture.simulator.received()
            #expect(received.count == 1)
            #expect(received.first?.token == "ab01")
            #expect(received.first?.apnsID == SampleRequest.id)
            #expect(received.first?.priority == "5")
            #expect(received.first?.collapseID == "run-7")
            #expect(received.first?.payload == ["aps": ["alert": "Fertig 🎉"], "run": 7])
            #expect(received.first?.providerToken?.keyID == fixture.addresses.providerKeyID)
        }
    }

    @Test("A refused push has its reason in the body")
    func refused() async throws {
        try await RunningSimulatorFixture.runWithSender { fixture, sender in
            let response = try await sender.push(to: "ab", [:], ["apns-priority": "7"])
            #expect(response.statusCode == 400)
            #expect(String(decoding: response.body, as: UTF8.self) == #"{"reason":"BadPriority"}"#)
            #expect(fixture.simulator.counters.rejected == 1)
        }
    }

    @Test("A device token gets the scripted answers, and is then accepted again")
    func scripted() async throws {
        try await RunningSimulatorFixture.runWithSender { fixture, sender in
            fixture.simulator.script(
                token: "ab",
                answers: [
                    .rejecting(.serviceUnavailable, retryAfter: 3),
                    .rejecting(.unregistered, timestamp: 1_700_000_000_000),
                ])
            let unavailable = try await sender.push(to: "ab")
            #expect(unavailable.statusCode == 503)
            #expect(unavailable.headerFields[.retryAfter] == "3")
            let other = try await sender.push(to: "cd")
            #expect(other.statusCode == 200)
            let unregistered = try await sender.push(to: "ab")
            #expect(unregistered.statusCode == 410)
            #expect(
                try JSONValue(parsing: unregistered.body)
                    == ["reason": "Unregistered", "timestamp": 1_700_000_000_000])
            #expect(try await sender.push(to: "ab").statusCode == 200)
        }
    }

    @Test("A slow answer for one token does not delay another")
    func delay() async throws {
        try await RunningSimulatorFixture.runWithSender { fixture, sender in
            fixture.simulator.script(
                token: "ab", answers: [.accepting(after: .milliseconds(100)), .accepting(after: .seconds(3600))])
            #expect(try await sender.push(to: "ab").duration >= .milliseconds(100))
            async let slow = sender.push(to: "ab")
            try await fixture.simulator.wait(for: 2, matching: NotificationFilter(token: "ab"))
            // The push uses the same connection: the sender opens another only if one is full.
            let fast = try await sender.push(to: "cd")
            #expect(fast.statusCode == 200)
            #expect(fast.connectionsOpened == 0)
            await sender.client.shutdown()
            let late = try? await slow
            #expect(late == nil)
        }
    }

    @Test("2,000 concurrent pushes are each received once")
    func many() async throws {
        try await RunningSimulatorFixture.runWithSender { fixture, sender in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<2000 {
                    group.addTask { try await sender.push(to: Self.token(number)).statusCode }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 2000])
            let counters = fixture.simulator.counters
            #expect(counters.accepted == 2000)
            #expect(counters.distinctTokens == 2000)
            #expect(counters.duplicates == 0)
            #expect(counters.connectionsOpened <= 4)
        }
    }

    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    @Test("A sender that resets each stream after its answer, as libcurl 7.88 does, keeps its connection")
    func resets() async throws {
        try await RunningSimulatorFixture.runWithSender { fixture, sender in
            var connectionsOpened = 0
            for _ in 0..<500 { connectionsOpened += try await sender.push(to: "ab").connectionsOpened }
            #expect(connectionsOpened == 1)
            #expect(fixture.simulator.counters.connectionsOpened == 1)
            #expect(fixture.simulator.counters.accepted == 500)
        }
    }

    @Test("A sender that does not trust the simulator's CA sends no request")
    func untrusted() async throws {
        try await RunningSimulatorFixture.run { fixture in
            let sender = Sender(fixture, trustsSimulator: false)
            let error = await #expect(throws: HTTPClientError.self) { try await sender.push(to: "ab") }
            #expect(error?.kind == .tls)
            await sender.client.shutdown()
            #expect(fixture.simulator.counters.requests == 0)
        }
    }
}

extension HTTPField.Name {
    fileprivate static var apnsID: Self { Self("apns-id") ?? .accept }
    fileprivate static var apnsUniqueID: Self { Self("apns-unique-id") ?? .accept }
}
