import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Termination of the gateway", .timeLimit(.minutes(10)))
struct TerminationTests {
    private let token = String.randomToken()
    private let secret = String.randomSecret()

    @Test("A SIGTERM lets requests in flight finish, exits with 0, and nothing is sent twice")
    func finishes() async throws {
        try await withStage { apns, directory in
            apns.simulator.script(token: token, answers: [.accepting(after: .seconds(1))])
            try await ServingProcess.running(in: directory, apns.gatewaySettings) { serving in
                let daemon = Daemon(serving.caller, secret: secret)
                try await daemon.register("phone", token: token)
                #expect(try await daemon.trigger(isAsync: true).body["pending"] == 1)
                try await apns.simulator.wait(for: 1)
                try await expectOrderlyEnd(of: serving.child)
            }
            try await ServingProcess.running(in: directory, apns.gatewaySettings) { serving in
                try await Daemon(serving.caller, secret: secret).trigger()
                let received = try await apns.simulator.wait(for: 2)
                #expect(Set(received.map(\.apnsID)).count == 2)
                #expect(received.count == 2)
            }
        }
    }

    @Test("A SIGTERM lets a waiting trigger get its answer")
    func answers() async throws {
        try await withStage { apns, directory in
            apns.simulator.script(token: token, answers: [.accepting(after: .milliseconds(800))])
            try await ServingProcess.running(in: directory, apns.gatewaySettings) { serving in
                let daemon = Daemon(serving.caller, secret: secret)
                try await daemon.register("phone", token: token)
                async let answer = daemon.trigger()
                try await apns.simulator.wait(for: 1)
                try await expectOrderlyEnd(of: serving.child)
                #expect(try await answer.body["sent"] == 1)
            }
        }
    }

    @Test(
        "A SIGTERM ends the wait for the emulator's messages at once, with an answer",
        arguments: ["inbox", "messages"])
    func emulatorWaits(list: String) async throws {
        try await withStage { _, directory in
            try await ServingProcess.running(in: directory) { serving in
                async let answer = serving.ask("/emulator/v1/\(list)?wait_for=1&timeout=60")
                // The gateway has read the request before it answers the last of these, which are sent one by one.
                for _ in 0..<50 { _ = try await serving.ask("/healthz") }
                try await expectOrderlyEnd(of: serving.child)
                let body = try await answer.body
                #expect(body["timed_out"] == true)
            }
        }
    }

    @Test("A SIGTERM does not wait for a hanging Apple, and the next start sends under the same id")
    func hanging() async throws {
        try await withStage { apns, directory in
            apns.simulator.script(token: token, answers: [.accepting(after: .seconds(60))])
            try await ServingProcess.running(in: directory, apns.gatewaySettings) { serving in
                let daemon = Daemon(serving.caller, secret: secret)
                try await daemon.register("phone", token: token)
                try await daemon.trigger(isAsync: true)
                try await apns.simulator.wait(for: 1)
                try await expectOrderlyEnd(of: serving.child)
            }
            try await ServingProcess.running(in: directory, apns.gatewaySettings) { _ in
                let received = try await apns.simulator.wait(for: 2)
                #expect(Set(received.map(\.apnsID)).count == 1)
            }
        }
    }

    @Test("A data directory in use is refused to a second gateway, and free after the first one ends")
    func secondGateway() async throws {
        try await withStage { _, directory in
            try await ServingProcess.running(in: directory) { serving in
                let second = try await PushgateProgram.run(["serve", "--port", "0", "--data-directory", directory])
                #expect(second.exitCode == 1 && !second.isSignalled)
                #expect(second.errors.contains("another gateway is using \(directory)"))
                #expect(second.output == "")
                let status = try await serving.caller.send(.get, "/healthz").status
                #expect(status == 200)
                try await expectOrderlyEnd(of: serving.child)
            }
            try await ServingProcess.running(in: directory) { serving in
                let status = try await serving.caller.send(.get, "/healthz").status
                #expect(status == 200)
            }
        }
    }

    @Test("A gateway whose port is taken exits at once with 1 and a reason, and leaves no directory behind")
    func portTaken() async throws {
        try await withStage { _, directory in
            try await ServingProcess.running(in: directory) { serving in
                let port = serving.caller.url.split(separator: ":").last.map(String.init) ?? ""
                let second = try await PushgateProgram.run(
                    ["serve", "--port", port, "--data-directory", directory + "-2"])
                #expect(second.exitCode == 1 && !second.isSignalled)
                #expect(second.errors.contains("port \(port) on 127.0.0.1 is in use"))
                #expect(!second.errors.contains("stopped; everything accepted"), "\(second.errors)")
                #expect(second.output == "")
                #expect(!FileManager.default.fileExists(atPath: directory + "-2"))
            }
        }
    }

    private func withStage(_ body: (RunningSimulator, String) async throws -> Void) async throws {
        try await withSimulator { apns in
            try await withDataDirectory { try await body(apns, $0) }
        }
    }

    /// Ends the gateway before the waits of its clients and of Apple, which are a minute long, would be over.
    private func expectOrderlyEnd(of child: ChildProcess) async throws {
        child.send(signal: SIGTERM)
        let finished = try await child.finish(within: .seconds(50))
        #expect(finished.exitCode == 0 && !finished.isSignalled)
        #expect(!finished.errors.contains(" error "), "\(finished.errors)")
    }
}
