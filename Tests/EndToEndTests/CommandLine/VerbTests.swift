import Cryptography
import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Verbs against a gateway", .timeLimit(.minutes(10)))
struct VerbTests {
    @Test("The verbs register, trigger, inbox and unregister work together")
    func mainJob() async throws {
        try await CommandLineStage.running { stage in
            let registered = try await stage.run(
                "register", "--cwd", "/srv/app", "--token", "emulated:1", "--installation-id", "phone", "--name",
                "Agent")
            #expect(registered.exitCode == 0)
            #expect(registered.output.hasPrefix("subscribed phone to /srv/app\n"))
            #expect(registered.output.contains(SHA256.hexadecimal(of: stage.secret)))
            let triggered = try await stage.run("trigger", "--cwd", "/srv/app", "--preview", "All tests pass.")
            #expect(triggered.exitCode == 0)
            #expect(triggered.output == "attempted 1, sent 1\n")
            let inbox = try await stage.run("inbox", "--wait", "1", "--installation-id", "phone")
            #expect(inbox.exitCode == 0)
            #expect(inbox.output.contains("phone\n  Agent\n  All tests pass.\n"))
            let unregistered = try await stage.run("unregister", "--installation-id", "phone", "--cwd", "/srv/app")
            #expect(unregistered.output == "subscriptions removed: 1\n")
            let nobody = try await stage.run("trigger", "--cwd", "/srv/app")
            #expect(nobody.exitCode == 0)
            #expect(nobody.output.hasPrefix("no device to notify"))
        }
    }

    @Test("register refuses a damaged token, and shows what a registration replaces and what it does not reach")
    func tokens() async throws {
        try await CommandLineStage.running { stage in
            let damaged = try await stage.run("register", "--cwd", "/srv/app", "--token", "<9f3b12aa 8d6d13f2>")
            #expect(damaged.exitCode == 64 && damaged.output == "")
            #expect(damaged.errors.contains("the token has brackets or quotation marks"), "\(damaged.errors)")
            #expect(!damaged.errors.contains("9f3b12aa"))
            let digits = String(repeating: "0f", count: 32)
            let phone = try await stage.run("register", "--cwd", "/srv/app", "--token", digits)
            #expect(phone.exitCode == 0 && !phone.output.contains("replaces"))
            let inbox = "warning: this device's notifications stay in the gateway's inbox"
            #expect(phone.errors.hasPrefix(inbox), "\(phone.errors)")
            let emulated = try await stage.run("register", "--cwd", "/srv/app", "--token", "emulated:1")
            #expect(emulated.exitCode == 0 && emulated.errors == "")
            #expect(emulated.output.contains("It replaces the token that command-line had"), "\(emulated.output)")
        }
    }

    @Test("deliveries shows on how many devices a message arrived and was opened, once an app has reported it")
    func receipts() async throws {
        try await CommandLineStage.running(["http.publicUrl": "https://push.example.com"]) { stage in
            let daemon = Daemon(stage.gateway.caller, secret: stage.secret)
            try await daemon.register("phone", token: "emulated:1", ["receipts": true])
            try await daemon.trigger(preview: "All tests pass.")
            let id = try #require(try await stage.json("deliveries")["deliveries"]?[0]?["id"]?.string)
            _ = try await stage.gateway.settledDelivery(id)
            let before = try await stage.run("deliveries", id)
            #expect(before.output.contains("  1 of 1 accepted  “") && !before.output.contains("arrived"))
            let address = try await stage.json("inbox")["notifications"]?[0]?["receipt"]?.string
            let signed = JSONValue.string(String(address?.split(separator: "/").last ?? ""))
            for (receipts, counts) in [
                ([["id": signed, "kind": "delivered", "device": "a"]], "1 arrived"),
                ([["id": signed, "kind": "opened", "device": "b"]], "2 arrived, 1 opened"),
            ] as [([JSONValue], String)] {
                let answer = try await stage.gateway.caller.send(
                    .post, "/v1/receipts", body: JSONValue.object(["receipts": .array(receipts)]).serialized)
                #expect(answer.status == 204)
                for finished in [try await stage.run("deliveries"), try await stage.run("deliveries", id)] {
                    #expect(finished.exitCode == 0, "\(finished.errors)")
                    #expect(finished.output.contains("  1 of 1 accepted, \(counts)  “"), "\(finished.output)")
                }
            }
        }
    }

    @Test("--json prints the gateway's own JSON")
    func json() async throws {
        try await CommandLineStage.running { stage in
            let serverKey = SHA256.hexadecimal(of: stage.secret)
            let registered = try await stage.json("register", "--cwd", "/srv/app", "--token", "emulated:1")
            #expect(registered["server_key"] == .string(serverKey))
            let triggered = try await stage.json("trigger", "--cwd", "/srv/app", "--preview", "x")
            #expect(triggered["sent"] == 1)
            let inbox = try await stage.json("inbox", "--wait", "1")
            #expect(inbox["timed_out"] == false)
            #expect(inbox["notifications"]?[0]?["message"]?["notification"]?["body"] == "x")
            let document = try await stage.json("documents", "get", "servers/\(serverKey)")
            #expect(document["fields"]?["lastSeenAt"]?["timestampValue"] != nil)
            let listed = try await stage.json("documents", "list", "servers")
            #expect(listed["name"]?.string?.hasSuffix("/servers/\(serverKey)") == true)
            #expect(try await stage.json("health") == ["status": "ok"])
            #expect(try await stage.json("unregister") == ["ok": true, "deleted": 1])
            #expect(try await stage.json("inbox", "--reset") == [:])
            #expect(try await stage.json("inbox")["notifications"] == [])
        }
    }

    @Test("documents list shows collections, documents, and the collections below a document")
    func documents() async throws {
        try await CommandLineStage.running { stage in
            let serverKey = SHA256.hexadecimal(of: stage.secret)
            let agents = "servers/\(serverKey)/agents"
            for cwd in ["/a", "/b", "/c"] { _ = try await stage.run("register", "--cwd", cwd, "--token", "emulated:1") }
            #expect(try await stage.run("documents", "list").output.split(separator: "\n").contains("servers"))
            #expect(try await stage.run("documents", "list", "servers/\(serverKey)").output == "\(agents)\n")
            let listed = try await stage.run("documents", "list", agents).output.split(separator: "\n")
            let keys = ["/a", "/b", "/c"].map { SHA256.hexadecimal(of: $0) }.sorted()
            #expect(listed.map { $0.split(separator: " ").first } == keys.map { "\(agents)/\($0)"[...] })
            let limited = try await stage.run("documents", "list", agents, "--limit", "2")
            #expect(limited.output.split(separator: "\n").count == 2)
            let device = try await stage.run("documents", "get", "\(agents)/\(keys[0])/devices/command-line")
            #expect(device.output.contains("token#"))
            #expect(!device.output.contains("emulated:1"))
            let missing = try await stage.run("documents", "get", "servers/nobody")
            #expect(missing.exitCode == 1)
            #expect(missing.errors.contains("servers/nobody) not found"))
        }
    }

    @Test("firestore exports a database, and imports it into another one with the same documents")
    func transfer() async throws {
        try await CommandLineStage.running { stage in
            let root = "/v1/projects/demo-a/databases/(default)/documents"
            let value: JSONValue = [
                "zero": ["doubleValue": .double(-0.0)], "text": ["stringValue": "é\u{0}"],
                "own": ["referenceValue": "projects/demo-a/databases/(default)/documents/rooms/1"],
                "list": ["arrayValue": ["values": [["nullValue": nil], ["bytesValue": "AAE="]]]],
            ]
            let paths = (0..<70).map { "rooms/\($0)" } + ["rooms/1/users/ada"]
            for path in paths { _ = try await stage.gateway.ask("\(root)/\(path)", .patch, ["fields": value]) }
            let folder = stage.gateway.directory + "/exported"
            let exported = try await stage.json("firestore", "export", folder, "--project", "demo-a")
            #expect(exported == ["documents": 71])
            let again = try await stage.run("firestore", "export", folder, "--project", "demo-a")
            #expect(again.exitCode == 1 && again.errors.contains("exists already"))
            let imported = try await stage.json("firestore", "import", folder, "--project", "demo-b")
            #expect(imported == ["documents": 71])
            for path in ["rooms/7", "rooms/1/users/ada"] {
                let (from, into) = (
                    try await stage.gateway.ask("\(root)/\(path)"),
                    try await stage.gateway.ask("\(root.replacing("demo-a", with: "demo-b"))/\(path)")
                )
                let text = from.body["fields"]?.text.replacing("demo-a", with: "demo-b")
                #expect(text != nil && into.body["fields"]?.text == text)
            }
            let own = try await stage.run("firestore", "export", folder + "-own", "--project", "pushgate")
            #expect(own.exitCode != 0 && own.errors.contains("the gateway's own database"))
        }
    }

    @Test(
        "firestore's export and import show their progress on a terminal, and nothing of it remains there",
        .enabled(if: FileManager.default.isExecutableFile(atPath: CommandLineStage.terminal)))
    func transferProgress() async throws {
        try await CommandLineStage.running { stage in
            for number in 0..<3 {
                _ = try await stage.gateway.ask(
                    "/v1/projects/demo-a/databases/(default)/documents/rooms/\(number)", .patch, ["fields": [:]])
            }
            let folder = stage.gateway.directory + "/exported"
            let exported = try await stage.runOnTerminal("firestore", "export", folder, "--project", "demo-a")
            let imported = try await stage.runOnTerminal("firestore", "import", folder, "--project", "demo-b")
            for (finished, verb) in [(exported, "exporting"), (imported, "importing")] {
                #expect(finished.exitCode == 0, "\(finished.output)")
                let clear = "\r\u{1B}[K"
                let line = "\r\(verb) documents: 0 of 3 (0 %)\u{1B}[K"
                let shown = try #require(finished.output.firstRange(of: line), "\(finished.output)")
                let rest = finished.output[shown.upperBound...]
                #expect(rest.contains(clear + "\(verb.prefix(6))ed 3 documents"), "\(finished.output)")
            }
        }
    }

    /// An argument of a program ends at a NUL, so none of these has one.
    @Test(
        "A verb about a database refuses a disguised name, without a request, and makes no folder",
        arguments: [
            ("pushgate\u{1}", "(default)"), ("pushgate%00", "(default)"), ("pushgate/databases/(default)", "(default)"),
            ("cafe\u{301}", "(default)"), ("", "(default)"), ("pushgate", "(default)\u{1B}[31m"),
            ("demo-a", "\u{FF08}default)"),
        ])
    func disguises(project: String, database: String) async throws {
        try await CommandLineStage.running { stage in
            let folder = stage.gateway.directory + "/exported"
            for verb in [["export", folder], ["import", folder], ["clear"]] {
                let finished = try await PushgateProgram.run(
                    ["firestore"] + verb + [
                        "--project", project, "--database", database, "--data-directory", stage.gateway.directory,
                    ])
                #expect(finished.exitCode == 64 && finished.output.isEmpty, "\(finished.errors)")
                #expect(finished.errors.contains("128 ASCII letters"), "\(finished.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder))
        }
    }

    @Test("firestore clear without a terminal deletes nothing, unless --yes is given")
    func clear() async throws {
        try await CommandLineStage.running { stage in
            let path = "/v1/projects/demo-a/databases/(default)/documents/rooms/1"
            _ = try await stage.gateway.ask(path, .patch, ["fields": [:]])
            let refused = try await stage.run("firestore", "clear", "--project", "demo-a")
            #expect(refused.exitCode == 64 && refused.errors.contains("give --yes"), "\(refused.errors)")
            #expect(try await stage.gateway.ask(path).status == 200)
            let cleared = try await stage.run("firestore", "clear", "--project", "demo-a", "--yes")
            #expect(cleared.output == "deleted all documents of projects/demo-a/databases/(default)\n")
            #expect(try await stage.gateway.ask(path).status == 404)
        }
    }

    @Test("documents creates, patches, sets and deletes a document, and refuses a fingerprint or an old update time")
    func documentWrites() async throws {
        try await CommandLineStage.running { stage in
            let first = #"{"fields":{"a":{"integerValue":"1"},"b":{"integerValue":"2"}}}"#
            let created = try await stage.json("documents", "create", "notes/x", first)
            #expect(created["fields"] == ["a": ["integerValue": "1"], "b": ["integerValue": "2"]])
            #expect(try await stage.run("documents", "create", "notes/x", first).exitCode == 1)
            let change = #"{"fields":{"a":{"integerValue":"9"}}}"#
            let time = try #require(created["updateTime"]?.string)
            let patched = try await stage.json(
                "documents", "patch", "notes/x", change, "--mask", "a", "--update-time", time)
            #expect(patched["fields"] == ["a": ["integerValue": "9"], "b": ["integerValue": "2"]])
            #expect(try await stage.run("documents", "delete", "notes/x", "--update-time", time).exitCode == 1)
            #expect(
                try await stage.json("documents", "set", "notes/x", change)["fields"] == ["a": ["integerValue": "9"]])
            let refused = try await stage.run(
                "documents", "set", "notes/x", #"{"fields":{"token":{"stringValue":"token#0123abcd"}}}"#)
            #expect(refused.exitCode == 1 && refused.errors.contains("fingerprint"), "\(refused.errors)")
            let plain = try await stage.json("documents", "set", "notes/x", #"{"name":"x","stars":5}"#)
            #expect(plain["fields"] == ["name": ["stringValue": "x"], "stars": ["integerValue": "5"]])
            let mixed = #"{"name":"x","since":{"timestampValue":"2026-01-01T00:00:00Z"}}"#
            let doubtful = try await stage.run("documents", "set", "notes/x", mixed)
            #expect(doubtful.exitCode == 1 && doubtful.errors.contains("since has a type"), "\(doubtful.errors)")
            #expect(try await stage.run("documents", "set", "notes/x", "--plain", mixed).exitCode == 0)
            let broken = try await stage.run("documents", "set", "notes/x", #"{"name":"x""#)
            #expect(broken.exitCode == 1 && broken.errors.contains("in line 1, column 12"), "\(broken.errors)")
            #expect(try await stage.run("documents", "set", "notes/x", "--typed", "--plain", "{}").exitCode == 64)
            #expect(try await stage.run("documents", "delete", "notes/x").output == "deleted notes/x\n")
            #expect(try await stage.run("documents", "get", "notes/x").exitCode == 1)
        }
    }

    @Test("A verb finds its gateway by the data directory in the environment, as in a container")
    func directoryOfEnvironment() async throws {
        try await CommandLineStage.running { stage in
            let environment = ["PUSHGATE_DATA_DIRECTORY": stage.gateway.directory]
            let inbox = try await PushgateProgram.run(["inbox"], environment: environment)
            #expect(inbox.exitCode == 0 && inbox.output == "the inbox is empty\n", "\(inbox.errors)")
            let health = try await PushgateProgram.run(["health"], environment: environment)
            #expect(health.exitCode == 0 && health.output == "ok\n")
        }
    }

    @Test("enable points a daemon's file at the gateway, and leaves its other lines unchanged")
    func enable() async throws {
        try await CommandLineStage.running { stage in
            let file = stage.gateway.directory + "/../daemon.env"
            try Data("# mine\nOTHER=1\n".utf8).write(to: URL(fileURLWithPath: file))
            let enabled = try await stage.json("enable", "--env-file", file)
            #expect(enabled["secret_created"] == true)
            #expect(enabled["base_url"] == .string(stage.gateway.url))
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.hasPrefix("# mine\nOTHER=1\n"))
            #expect(text.contains("CODEAGENTS_PUSH_GATEWAY_BASE_URL=\(stage.gateway.url)\n"))
            let registered = try await PushgateProgram.run([
                "register", "--env-file", file, "--server", stage.gateway.url + "/", "--cwd", "/srv", "--token",
                "emulated:1", "--json",
            ])
            #expect(try JSONValue(parsing: registered.output)["server_key"] == enabled["server_key"])
            #expect(try await stage.json("enable", "--env-file", file)["secret_created"] == false)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        }
    }

    @Test("version and --version print the version")
    func version() async throws {
        let verb = try await PushgateProgram.run(["version"])
        let flag = try await PushgateProgram.run(["--version"])
        #expect(verb.exitCode == 0)
        #expect(verb.output == flag.output)
        #expect(verb.output.split(separator: ".").count == 3)
        let json = try await PushgateProgram.run(["version", "--json"])
        #expect(try JSONValue(parsing: json.output)["version"]?.string.map { $0 + "\n" } == verb.output)
    }
}
