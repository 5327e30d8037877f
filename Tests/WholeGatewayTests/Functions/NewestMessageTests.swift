import APNsSimulator
import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("The newest notification of an agent at Apple's side", .timeLimit(.minutes(10)))
struct NewestMessageTests {
    private func bodies(_ apns: RunningSimulator, accepted: Bool = true) -> [String?] {
        apns.simulator.received().filter { !accepted || $0.status == 200 }
            .map { $0.payload?["aps"]?["alert"]?["body"]?.string }
    }

    @Test("A retry does not overtake the trigger that replaced it")
    func oneFailure() async throws {
        try await withSimulator { apns in
            let token = String.randomToken()
            apns.simulator.script(token: token, answers: [ScriptedAnswer(status: 503, count: 1)])
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: token)
                async let old = daemon.trigger(preview: "old", waiting: 10)
                try await eventually("the first attempt fails") { bodies(apns, accepted: false).count == 1 }
                let new = try await daemon.trigger(preview: "new")
                #expect(new.body["sent"] == 1 && new.body["superseded"] == nil)
                let answer = try await old
                #expect(answer.status == 200 && answer.body["attempted"] == 1 && answer.body["superseded"] == 1)
                #expect(answer.body["sent"] == 0 && answer.body["pending"] == nil && answer.body["errors"] == nil)
                #expect(bodies(apns) == ["new"])
            }
        }
    }

    @Test("After a refused key Apple gets the last of five, over a restart too", arguments: [false, true])
    func refusedKey(withRestart: Bool) async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                let token = String.randomToken()
                let refusal = ScriptedAnswer(status: 403, reason: "InvalidProviderToken", count: nil)
                apns.simulator.script(token: nil, answers: [refusal])
                try await withGateway(simulator: apns, in: directory) { gateway in
                    let daemon = Daemon(gateway.caller)
                    try await daemon.register("phone", token: token)
                    for number in 1...5 {
                        #expect(try await daemon.trigger(preview: "\(number)").body["pending"] == 1)
                    }
                    guard !withRestart else { return }
                    apns.simulator.clearScript()
                    try gateway.gateway.reload(gateway.gateway.configuration)
                    try await eventually("the last one arrives") { bodies(apns).last == "5" }
                }
                if withRestart {
                    apns.simulator.clearScript()
                    // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                    let restored = directory + "-restored"
                    try FileManager.default.copyItem(atPath: directory, toPath: restored)
                    try await withGateway(simulator: apns, in: restored) { _ in
                        try await eventually("the last one arrives") { bodies(apns).last == "5" }
                    }
                }
                #expect(bodies(apns) == ["5"])
            }
        }
    }

    @Test("A trigger follows one that Apple does not answer after 2 s, on the same connection")
    func silence() async throws {
        try await withSimulator { apns in
            let token = String.randomToken()
            let slow = ScriptedAnswer(status: 200, count: 1, delay: .seconds(60))
            apns.simulator.script(token: token, answers: [slow])
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: token)
                async let old = daemon.trigger(preview: "old", waiting: 10)
                try await eventually("the first one is under way") { apns.simulator.counters.requests >= 1 }
                let new = try await daemon.trigger(preview: "new", waiting: 10)
                #expect(new.body["sent"] == 1)
                #expect(try await old.body["superseded"] == 1)
                #expect(bodies(apns).last == "new")
                #expect(apns.simulator.counters.connectionsOpened == 1)
            }
        }
    }

    @Test("A message to a token that a newer one replaces while it is sent is answered 200, and is no failure")
    func messageToToken() async throws {
        try await withSimulator { apns in
            let device = String.randomToken()
            let slow = ScriptedAnswer(status: 200, count: 1, delay: .seconds(600))
            apns.simulator.script(token: device, answers: [slow])
            try await withGateway(["fcm.sendWait": "50s"], simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                let token = try await gateway.register(device, bearer: bearer)
                func send(_ body: String) async throws -> Answer {
                    let message: JSONValue = [
                        "token": .string(token), "notification": ["body": .string(body)],
                        "apns": ["headers": ["apns-collapse-id": "build"]],
                    ]
                    return try await gateway.sendMessage(message, bearer: bearer)
                }
                async let old = send("old")
                try await eventually("the first one is under way") { apns.simulator.counters.requests >= 1 }
                #expect(try await send("new").status == 200)
                let answer = try await old
                #expect(answer.status == 200 && answer.body["error"] == nil)
                let id = try #require(answer.body["name"]?.string?.split(separator: "/").last)
                let delivery = try await gateway.settledDelivery(String(id))
                #expect(delivery["superseded"] == 1 && delivery["accepted"] == 0 && delivery["rejected"] == [:])
                #expect(bodies(apns).last == "new")
            }
        }
    }

    @Test("The console shows what a newer message replaced, with the reason, and not as a failure")
    func console() async throws {
        try await withSimulator { apns in
            let refusal = ScriptedAnswer(status: 403, reason: "InvalidProviderToken", count: nil)
            apns.simulator.script(token: nil, answers: [refusal])
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: .randomToken())
                for body in ["old", "new"] {
                    #expect(try await daemon.trigger(preview: body).body["pending"] == 1)
                }
                apns.simulator.clearScript()
                try gateway.gateway.reload(gateway.gateway.configuration)
                let user = try await ConsoleUser(gateway)
                let list = "/console/messages?source=codeagents"
                try await eventually("both have settled") {
                    let page = try await user.get(list).text
                    return page.contains("mark ok\">1 superseded<") && page.contains("mark ok\">1 accepted<")
                }
                let page = try await user.get(list).text
                #expect(!page.contains("mark bad") && !page.contains("mark warn"))
                let rows = page.split(separator: "<tr>").filter { $0.contains("1 superseded<") }
                #expect(rows.count == 1)
                let path = try #require(rows.first?.firstMatch(of: /href="([^"]+)"/).map { String($0.1) })
                let message = try await user.get(path).text
                #expect(message.contains("mark ok\">superseded<"))
                #expect(message.contains("A newer message with the same collapse id replaced it"))
                #expect(!message.contains("mark bad"))
            }
        }
    }
}
