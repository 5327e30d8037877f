import Emulator
import ExampleSystem
import Foundation
import Functions
import HTTPTypes
import JSON
import Messaging
import Settings
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Example system", .timeLimit(.minutes(10)))
struct ExampleSystemTests {
    private static let modules: [any FunctionModule.Type] = EnabledModules.available + [Doorbell.self]

    private func ring(_ gateway: RunningGateway, _ body: JSONValue) async throws -> Answer {
        try await gateway.caller.send(.post, "/doorbell", body: body.serialized)
    }

    @Test("A module in the list serves its endpoint with its setting, and its notification arrives")
    func running() async throws {
        try await withGateway(["functions.doorbell.device": "emulated:hall"], modules: Self.modules) { gateway in
            let answer = try await ring(gateway, ["visitor": "Ada"])
            #expect(answer.status == 202)
            try await eventually("the notification arrives") { !gateway.gateway.inbox.items().isEmpty }
            let notification = gateway.gateway.inbox.items().first?.message.notification
            #expect(notification == .init(title: "Doorbell", body: "Ada is at the door"))
            #expect(gateway.gateway.systemNames == ["coding agents", "doorbell"])
            let page = try await ConsoleUser(gateway).get("/console/messages?source=doorbell").text
            #expect(page.contains("Doorbell") && page.contains("aria-current=\"true\">doorbell</a>"))
        }
    }

    @Test("The console has the page and the source of a module that is on, and neither of one that is off")
    func console() async throws {
        try await withGateway(["functions.doorbell.device": "emulated:hall"], modules: Self.modules) { gateway in
            let user = try await ConsoleUser(gateway)
            let page = try await user.get("/console/doorbell")
            #expect(page.status == 200 && page.text.contains("<h1>Doorbell</h1>\n<p>The bell of the door"))
            #expect(page.text.contains("<a href=\"/console/doorbell\" aria-current=\"page\">Doorbell</a>"))
            let link = "<a href=\"/console/messages?source=doorbell\">doorbell</a>"
            #expect(try await user.get("/console/messages").text.contains(link))
            #expect(try await gateway.caller.send(.get, "/console/doorbell").status == 303)
        }
        try await withGateway(modules: Self.modules) { gateway in
            let user = try await ConsoleUser(gateway)
            #expect(try await user.get("/console/doorbell").status == 404)
            #expect(try await !user.get("/console/messages").text.lowercased().contains("doorbell"))
        }
    }

    @Test("The console lists the keys of a module's clients, and the operator revokes one")
    func keys() async throws {
        try await withGateway(["functions.doorbell.device": "emulated:hall"], modules: Self.modules) { gateway in
            let user = try await ConsoleUser(gateway)
            let page = try await user.get("/console/keys").text
            #expect(page.contains("<h2>Keys of doorbell</h2>\n<p>All visitors have the same.</p>"))
            #expect(page.contains("<strong>Visitors</strong> <code>ding…</code>") && page.contains("<td>ring</td>"))
            #expect(try await ring(gateway, [:]).status == 202)
            let form = ["kind": Doorbell.source, "id": "visitors"]
            #expect(try await user.post("/console/keys", form).status == 303)
            #expect(try await user.post("/console/keys", form).status == 404)
            #expect(try await ring(gateway, [:]).text == #"{"error":"forbidden"}"#)
            #expect(try await !user.get("/console/keys").text.contains("Visitors"))
            #expect(try await user.post("/console/keys", ["kind": "bells", "id": "visitors"]).status == 400)
        }
        try await withGateway(modules: Self.modules) { gateway in
            let page = try await ConsoleUser(gateway).get("/console/keys").text
            #expect(page.contains("<h2>Service accounts</h2>") && !page.contains("Keys of doorbell"))
        }
    }

    @Test("A module in the list answers errors in its own form")
    func errors() async throws {
        try await withGateway(["functions.doorbell.device": "emulated:hall"], modules: Self.modules) { gateway in
            let answer = try await ring(gateway, [])
            #expect(answer.status == 400)
            #expect(answer.text == #"{"error":"bad_request"}"#)
        }
    }

    @Test("A module without its required setting is off")
    func off() async throws {
        try await withGateway(modules: Self.modules) { gateway in
            let answer = try await ring(gateway, [:])
            #expect(answer.status == 404)
            #expect(gateway.gateway.systemNames == ["coding agents"])
        }
    }

    @Test("The key of a module that is not in the list is not a key")
    func unknownKey() async throws {
        await #expect(throws: ConfigurationError.self) {
            _ = try await GatewayConfiguration.read(
                flags: ["functions.doorbell.device": "emulated:hall"], environment: [:], file: nil)
        }
    }

    @Test("No file outside the example's folder, its test and the package manifest mentions it")
    func touchedFiles() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        var files: Set<String> = []
        for folder in ["Sources", "functions", "store", "Tests"] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: root.appending(path: "\(folder)/\(path)"), encoding: .utf8)
                if text.contains(/[Dd]oorbell|ExampleSystem/) { files.insert("\(folder)/\(path)") }
            }
        }
        #expect(
            files == [
                "Tests/ExampleSystem/Doorbell.swift", "Tests/WholeGatewayTests/Functions/ExampleSystemTests.swift",
            ])
    }
}
