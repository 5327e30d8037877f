import APNsSimulator
import Cryptography
import Gateway
import HTTPTypes
import JSON
import TestSupport
import Testing

/// Devices with every possible outcome, and the secret of their server.
struct Cast {
    let secret = String.randomSecret()
    let staying = String.randomToken()
    /// The token of a device that unregisters.
    let leaving = String.randomToken()
    /// The token of a device that Apple's side reports as gone.
    let dead = String.randomToken()
    /// The token of a device that registers again with another token.
    let replaced = String.randomToken()
    let replacing = String.randomToken()
    /// The token of a device for which Apple's side answers that it is unavailable.
    let failing = String.randomToken()
    /// An emulated token: only the inbox shows it, to the administrator.
    let emulated = "emulated:" + String.randomToken()

    var tokens: [String] { [staying, leaving, dead, replaced, replacing, failing, emulated] }

    /// Sends a gateway every kind of request with the devices.
    ///
    /// - Returns: All answers with their header fields, as text.
    func play(_ gateway: RunningGateway, _ simulator: APNsSimulator) async throws -> [String] {
        let daemon = Daemon(gateway.caller, secret: secret)
        var answers = try await register(daemon, simulator)
        answers.append(try await daemon.unregister("leaving", cwd: "/srv/app"))
        answers.append(try await daemon.trigger(preview: "Done.", ["exclude_fcm_token": .string(staying)]))
        answers += try await misbehave(gateway.caller)
        answers += try await look(gateway)
        return answers.map { "\($0.status) \($0.headerFields) \($0.text)" }
    }

    @discardableResult
    func register(_ daemon: Daemon, _ simulator: APNsSimulator) async throws -> [Answer] {
        simulator.script(token: dead, answers: [.rejecting(.unregistered, count: nil)])
        simulator.script(
            token: failing, answers: [ScriptedAnswer(status: 503, reason: "ServiceUnavailable", count: nil)])
        var answers: [Answer] = []
        for (id, token) in [
            ("staying", staying), ("leaving", leaving), ("dead", dead), ("changing", replaced), ("failing", failing),
            ("emulated", emulated),
        ] {
            answers.append(try await daemon.register(id, token: token))
        }
        answers.append(try await daemon.trigger(preview: "All of you."))
        #expect(answers.last?.body["attempted"] == 6)
        #expect(answers.last?.body["pruned"] == 1)
        answers.append(try await daemon.register("changing", token: replacing))
        return answers
    }

    /// Sends requests that fail, with secrets in every place from which they must not be echoed.
    func misbehave(_ caller: Caller) async throws -> [Answer] {
        let type: HTTPFields = [.contentType: "application/json"]
        var answers: [Answer] = []
        for (bearer, body) in [
            (secret + "!", "{}"), (secret, #"{"fcm_token":"\#(staying)""#), (secret, #"["\#(secret)","\#(staying)"]"#),
            (secret, #"{"cwd":"/","installation_id":"\#(staying)/\#(staying)","fcm_token":"\#(staying)"}"#),
            (secret, #"{"cwd":"/","installation_id":"a","fcm_token":"\#(String(repeating: staying, count: 65))"}"#),
            (secret, #"{"cwd":"/","installation_id":"a","fcm_token":"a","apns_environment":"\#(staying.prefix(31))"}"#),
        ] {
            let headerFields = type.merging([.authorization: "Bearer \(bearer)"])
            let path = "/registerSubscription"
            answers.append(
                try await caller.send(.post, path, headerFields: headerFields, body: Array(body.utf8)))
            answers.append(try await caller.send(.get, path, headerFields: headerFields))
            answers.append(try await caller.send(.post, "/nowhere", headerFields: headerFields, body: Array(body.utf8)))
            answers.append(try await caller.send(.get, "/emulator/v1/inbox", headerFields: headerFields))
        }
        #expect(answers.allSatisfy { $0.status >= 400 && $0.status < 500 })
        return answers
    }

    /// Reads everything that the administrator can see.
    private func look(_ gateway: RunningGateway) async throws -> [Answer] {
        let root = "/v1/projects/pushgate/databases/(default)/documents"
        let agent = "servers/\(SHA256.hexadecimal(of: secret))/agents/\(SHA256.hexadecimal(of: "/srv/app"))"
        var answers = [
            try await gateway.ask("\(root)/\(agent)"), try await gateway.ask("\(root)/\(agent)/devices"),
            try await gateway.ask("\(root)/\(agent)/devices/staying"), try await gateway.ask("\(root)/messages"),
            try await gateway.ask("/metrics"),
        ]
        let inbox = try await gateway.ask("/emulator/v1/inbox")
        let shown = tokens.filter { inbox.text.contains($0) }
        #expect(shown == [emulated])
        for message in answers[3].body["documents"]?.array ?? [] {
            let name = message["name"]?.string ?? ""
            answers.append(try await gateway.ask("/v1/\(name)/messages"))
        }
        #expect(answers.allSatisfy { $0.status == 200 })
        return answers
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields {
        others.reduce(into: self) { $0.append($1) }
    }
}
