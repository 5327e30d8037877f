import APNsSimulator
import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Live Activities by messages:send", .timeLimit(.minutes(10)))
struct LiveActivityMessageTests {
    @Test("A live_activity_token starts a card, changes it and ends it, and the registration's device gets nothing")
    func life() async throws {
        try await withSimulator { apns in
            let phone = SimulatedPhone(bundleID: RunningSimulator.bundleID, pushToStartToken: .randomToken())
            apns.simulator.connect(phone)
            try await withGateway(simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                let registration = try await gateway.register(.randomToken(), bearer: bearer)
                func send(_ aps: JSONValue, to token: String, priority: String) async throws {
                    let activity: JSONValue = [
                        "live_activity_token": .string(token), "headers": ["apns-priority": .string(priority)],
                        "payload": ["aps": aps],
                    ]
                    let message: JSONValue = ["token": .string(registration), "apns": activity]
                    let answer = try await gateway.sendMessage(message, bearer: bearer)
                    #expect(answer.status == 200, "\(answer.text)")
                }
                let now = Int64(Date().timeIntervalSince1970)
                let start: JSONValue = [
                    "event": "start", "timestamp": .integer(now), "content-state": ["step": 0],
                    "attributes-type": "RunAttributes", "attributes": ["run": "r1"], "input-push-token": 1,
                    "alert": ["title": "Run", "body": "Started"],
                ]
                try await send(start, to: phone.pushToStartToken, priority: "10")
                try await eventually("the card starts") { phone.cards.count == 1 }
                let token = try #require(phone.cards.first?.updateToken)
                #expect(phone.cards.first?.attributes == ["run": "r1"])
                let update: JSONValue = [
                    "event": "update", "timestamp": .integer(now + 1), "content-state": ["step": 1],
                ]
                try await send(update, to: token, priority: "5")
                try await eventually("the card changes") { phone.cards.first?.contentState == ["step": 1] }
                let end: JSONValue = [
                    "event": "end", "timestamp": .integer(now + 2), "dismissal-date": .integer(now + 60),
                ]
                try await send(end, to: token, priority: "10")
                try await eventually("the card ends") { phone.cards.first?.isEnded == true }
                #expect(phone.cards.first?.dismissal == now + 60 && phone.cards.first?.contentState == ["step": 1])
                let received = apns.simulator.received()
                #expect(received.map(\.token) == [phone.pushToStartToken, token, token])
                #expect(Set(received.map(\.topic)) == ["\(RunningSimulator.bundleID).push-type.liveactivity"])
                #expect(received.map(\.priority) == ["10", "5", "10"])
                #expect(Set(received.map(\.pushType)) == ["liveactivity"])
            }
        }
    }
}
