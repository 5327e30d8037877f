import APNsSimulator
import Cryptography
import DocumentStore
import Foundation
import GoogleStandIn
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("Doctor", .timeLimit(.minutes(10)))
struct DoctorTests {
    /// Examines a gateway with the given settings.
    private func findings(
        _ settings: [String: String], environment: [String: String] = [:], caFile: String? = nil,
        isOffline: Bool = false, secondsAhead: Int64 = 0
    ) async throws -> [Finding] {
        let configuration = try await GatewayConfiguration.read(
            flags: ["data.minimumFreeBytes": "0"].merging(settings) { $1 }, environment: environment, file: nil)
        let doctor = Doctor(
            configuration, caFile: caFile, now: { Timestamp.now.seconds + secondsAhead }, logger: CollectedLog().logger)
        var findings: [Finding] = []
        await doctor.examine(isOffline: isOffline) { findings.append($0) }
        #expect(findings.allSatisfy { ($0.severity == .ok) == ($0.reason == nil && $0.advice == nil) })
        return findings
    }

    /// Returns the findings of a part, and requires one.
    private func of(_ part: String, _ findings: [Finding]) throws -> [Finding] {
        let own = findings.filter { $0.part == part }
        try #require(!own.isEmpty, "\(findings)")
        return own
    }

    @Test("A new directory has no problems, and stays absent")
    func newDirectory() async throws {
        try await withDataDirectory { directory in
            let findings = try await findings(["data.directory": directory])
            #expect(findings.allSatisfy { $0.severity == .ok }, "\(findings)")
            #expect(!FileManager.default.fileExists(atPath: directory))
        }
    }

    @Test("A running gateway is found, its disk and database are examined, and no file is left")
    func running() async throws {
        try await withGateway { gateway in
            let before = try FileManager.default.contentsOfDirectory(atPath: gateway.directory).sorted()
            let findings = try await findings(["data.directory": gateway.directory])
            #expect(findings.allSatisfy { $0.severity == .ok }, "\(findings)")
            #expect(try of("gateway", findings)[0].fact == "running at \(gateway.url), 200")
            #expect(try of("disk", findings).count == 2)
            let after = try FileManager.default.contentsOfDirectory(atPath: gateway.directory).sorted()
            #expect(before == after)
        }
    }

    @Test("An import and a copy that were interrupted are found, with the verb to repeat")
    func interrupted() async throws {
        try await withDataDirectory { path in
            let directory = try DataDirectory(creating: path)
            try directory.importProgress.note(0, of: "digest")
            let imported = try of("database", try await findings(["data.directory": path], isOffline: true))[0]
            #expect(
                imported.severity == .failed && imported.fact == "an import into \(path) was begun and has not ended")
            #expect(imported.advice == "Repeat “pushgate import” with the same file.")
            try directory.importProgress.end()
            let engine = try SQLiteEngine(SQLiteStoreConfiguration(path: directory.database.path), logger: .silent)
            let progress = try DocumentPath("copies/current")
            _ = try await engine.store(for: .gateway).commit([.set(progress, ["documents": .integer(1)])])
            await engine.close()
            let copied = try of("database", try await findings(["data.directory": path], isOffline: true))[0]
            #expect(copied.severity == .failed)
            #expect(copied.fact == "a copy into this gateway's store was begun and has not ended")
            #expect(copied.advice == "Repeat “pushgate copy” with the same stores.")
        }
    }

    @Test("Open directories and key files, unknown variables and a full disk are found")
    func mistakes() async throws {
        try await withSimulator { apns in
            try await withTemporaryDirectory { directory in
                let key = directory + "/key.p8"
                try FileManager.default.copyItem(atPath: apns.gatewaySettings["apns.keyPath"] ?? "", toPath: key)
                #expect(chmod(key, 0o644) == 0 && chmod(directory, 0o755) == 0)
                let settings = apns.gatewaySettings.merging([
                    "data.directory": directory, "data.minimumFreeBytes": "9000000000000000", "apns.keyPath": key,
                ]) { $1 }
                let findings = try await findings(
                    settings, environment: ["PUSHGATE_HTTP_PROT": "1"], isOffline: true)
                #expect(try of("settings", findings)[0].fact.contains("did you mean PUSHGATE_HTTP_PORT?"))
                #expect(try of("data", findings)[0].advice == "Run chmod 700 \(directory).")
                #expect(try of("keys", findings)[0].advice?.hasPrefix("Run chmod 600 \(key)") == true)
                #expect(try of("disk", findings)[0].severity == .failed)
                #expect(!findings.contains { $0.part == "apns" } && apns.simulator.received().isEmpty)
            }
        }
    }

    @Test("A relay without a name of its own is found: its addresses would have the host of a request, or lack a path")
    func relayName() async throws {
        try await withDataDirectory { directory in
            for (url, fact) in [
                (nil, "relay.enabled is true, and http.publicUrl is not set"),
                (
                    "https://push.example.com/gateway",
                    "relay.enabled is true, and http.publicUrl has a path: https://push.example.com/gateway"
                ),
                ("https://push.example.com/", nil),
            ] as [(String?, String?)] {
                var settings = ["data.directory": directory, "relay.enabled": "true"]
                settings["http.publicUrl"] = url
                let found = try of("settings", try await findings(settings, isOffline: true))
                #expect(found.first { $0.severity == .warning }?.fact == fact, "\(found)")
            }
            let off = try of("settings", try await findings(["data.directory": directory], isOffline: true))
            #expect(off.allSatisfy { $0.severity == .ok }, "\(off)")
        }
    }

    @Test("The files of the settings and of a secret that cannot be read any more are found, with their settings")
    func unreadableFiles() async throws {
        try await withTemporaryDirectory { directory in
            let variable = "PUSHGATE_ADMIN_TOKEN_FILE"
            let (secret, file) = (directory + "/secret", directory + "/pushgate.yaml")
            try "0123456789abcdef\n".write(toFile: secret, atomically: true, encoding: .utf8)
            try "log: { level: info }\n".write(toFile: file, atomically: true, encoding: .utf8)
            let configuration = try await GatewayConfiguration.read(
                flags: ["data.directory": directory + "/data"], environment: [variable: secret],
                file: file)
            func failures(hasChangedUser: Bool = true) async -> [Finding] {
                let doctor = Doctor(configuration, hasChangedUser: hasChangedUser, logger: CollectedLog().logger)
                var findings: [Finding] = []
                await doctor.examine(isOffline: true) { findings.append($0) }
                return findings.filter { $0.severity == .failed && $0.part == "settings" }
            }
            #expect(await failures() == [])
            for path in [secret, file] { try FileManager.default.removeItem(atPath: path) }
            let found = await failures()
            try #require(found.count == 2, "\(found)")
            for (finding, (setting, path)) in zip(found, [("--config", file), (variable, secret)]) {
                #expect(finding.fact.hasPrefix("\(setting): cannot read \(path): there is no such file"), "\(finding)")
            }
            #expect(await failures(hasChangedUser: false) == [])
            // Reading a pipe without a writer would not end.
            for path in [secret, file] { try SpecialFile.makeFIFO(path) }
            #expect(await failures() == [])
        }
    }

    @Test("A kept key of Web Push that cannot be read is found", arguments: [true, false])
    func keptKey(isDamaged: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/webpush-key"
            if isDamaged {
                try "damaged".write(toFile: path, atomically: true, encoding: .utf8)
            } else {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            let settings = ["data.directory": directory, "webpush.subject": "mailto:ops@pushgate.dev"]
            let finding = try of("keys", try await findings(settings, isOffline: true))[0]
            #expect(finding.severity == .failed && finding.fact.contains("webpush-key"), "\(finding)")
        }
    }

    @Test(
        "A damaged database, and a missing or wrong key file, are found",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func damage() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                // A process of its own: in this one, the directory would stay locked.
                try await ServingProcess.running(in: directory) { serving in
                    _ = try await Daemon(serving.caller).register("phone", token: "emulated:1")
                }
                let whole = try await findings(["data.directory": directory])
                #expect(try of("database", whole)[0].fact.hasSuffix("is whole"))
                let database = DataDirectory(existing: directory).database.path
                let handle = try #require(FileHandle(forUpdatingAtPath: database))
                try handle.truncate(atOffset: 8_192)
                let settings = apns.gatewaySettings.merging(
                    ["data.directory": directory, "apns.keyPath": "/nowhere.p8"]) { $1 }
                let findings = try await findings(settings, isOffline: true)
                #expect(try of("database", findings)[0].severity == .failed)
                #expect(try of("database", findings)[0].advice?.contains("pushgate restore") == true)
                #expect(try of("keys", findings)[0].fact.contains("cannot read /nowhere.p8"))
            }
        }
    }

    @Test("An accepted key is found by one push to a device that cannot exist")
    func acceptedKey() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                let token = String(repeating: "0", count: 64)
                apns.simulator.script(token: token, answers: [ScriptedAnswer(status: 400, reason: "BadDeviceToken")])
                let settings = apns.gatewaySettings.merging(["data.directory": directory]) { $1 }
                let findings = try await findings(settings)
                #expect(try of("apns", findings).map(\.severity) == [.ok])
                #expect(try of("clock", findings).map(\.severity) == [.ok])
                #expect(apns.simulator.received().map(\.token) == [token])
            }
        }
    }

    @Test(
        "Apple's answers to the key are explained",
        arguments: [
            (403, "InvalidProviderToken", "refuses the key (InvalidProviderToken)", "apns.keyId"),
            (403, "BadEnvironmentKeyIdInToken", "not for this environment", "apns.environment"),
            (403, "ExpiredProviderToken", "not of this hour", "NTP"),
            (400, "TopicDisallowed", "refuses the topic (TopicDisallowed)", "apns.bundleId"),
            (429, "TooManyProviderTokenUpdates", "429 TooManyProviderTokenUpdates", "Try again"),
        ])
    func refusals(status: Int, reason: String, fact: String, advice: String) async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                apns.simulator.script(token: nil, answers: [ScriptedAnswer(status: status, reason: reason)])
                let settings = apns.gatewaySettings.merging(["data.directory": directory]) { $1 }
                let finding = try of("apns", try await findings(settings))[0]
                #expect(finding.severity == (status == 429 ? .warning : .failed))
                #expect(finding.fact.contains(fact) && finding.advice?.contains(advice) == true, "\(finding)")
            }
        }
    }

    @Test("A clock that is hours ahead is found")
    func clock() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                let settings = apns.gatewaySettings.merging(["data.directory": directory]) { $1 }
                let findings = try await findings(settings, secondsAhead: 7_200)
                #expect(try of("clock", findings)[0].severity == .failed)
                #expect(try of("apns", findings)[0].severity == .failed)
            }
        }
    }

    @Test("A missing server, and one whose certificate is not trusted, are told apart")
    func unreachable() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                var settings = apns.gatewaySettings.merging(["data.directory": directory]) { $1 }
                settings["apns.caFile"] = nil
                let untrusted = try of("apns", try await findings(settings))[0]
                #expect(untrusted.severity == .failed && untrusted.advice?.contains("apns.caFile") == true)
                settings["apns.endpoint"] = "https://127.0.0.1:1"
                let missing = try of("apns", try await findings(settings))[0]
                #expect(missing.severity == .failed && missing.advice?.contains("firewall") == true)
            }
        }
    }

    @Test("The channels of an app are counted, and a management that does not answer is a warning")
    func channels() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                var settings = apns.gatewaySettings.merging(["data.directory": directory]) { $1 }
                let counted = try of("channels", try await findings(settings))[0]
                #expect(counted.severity == .ok && counted.fact.hasSuffix("0 of at most 10,000 channels"))
                let off = ScriptedAnswer(status: 400, reason: "FeatureNotEnabled")
                apns.simulator.script(token: "channels", answers: [off])
                let unable = try of("channels", try await findings(settings))[0]
                #expect(unable.severity == .ok && unable.fact.contains("Broadcast"))
                settings["apns.channelEndpoint"] = "https://127.0.0.1:1"
                let away = try of("channels", try await findings(settings))[0]
                #expect(away.severity == .warning && away.advice?.contains("2196") == true, "\(away)")
                settings["apns.channelEndpoint"] = nil
                let none = try await findings(settings)
                #expect(!none.contains { $0.part == "channels" })
            }
        }
    }

    @Test("Google's refusal of the service account is found")
    func google() async throws {
        try await withGoogle { google in
            try await withTemporaryDirectory { parent in
                let account = parent + "/account.json"
                try Data(JSONValue.object(google.serviceAccount).serialized).write(to: URL(filePath: account))
                let settings = [
                    "fcm.relay.serviceAccount": account, "fcm.relay.endpoint": google.url,
                    "data.directory": parent + "/data",
                ]
                #expect(try of("fcm", try await findings(settings)).map(\.severity) == [.ok])
                google.answerTokenRequests(with: .oauth(400, "invalid_grant", "account not found"))
                let refused = try of("fcm", try await findings(settings))[0]
                #expect(refused.severity == .failed && refused.fact.contains("invalid_grant"))
                #expect(google.sent.isEmpty)
            }
        }
    }

    @Test("Names lead to this gateway only if it proves that it has the key of the directory")
    func names() async throws {
        try await withGateway { other in
            try await withTemporaryDirectory { parent in
                let files = try TLSFiles(in: parent, name: "localhost")
                let settings = files.settings.merging([
                    "http.tls.port": "\(try unusedPort())", "http.names": "\(other.url), https://nowhere.invalid",
                    "data.directory": parent + "/data",
                ]) { $1 }
                try await withGateway(settings, in: parent + "/data") { _ in
                    let names = try of("names", try await findings(settings, caFile: files.caFile))
                    #expect(names.map(\.severity) == [.failed, .ok, .failed], "\(names)")
                    #expect(names[0].fact == "\(other.url) leads to another server (200)")
                    #expect(names[1].fact.hasSuffix("leads to this gateway"))
                    let untrusted = try of("names", try await findings(settings))[1]
                    #expect(untrusted.severity == .failed && untrusted.advice?.contains("trust") == true)
                    let certificates = try of("certificate", try await findings(settings, isOffline: true))
                    #expect(certificates.map(\.severity) == [.warning])
                }
            }
        }
    }

    @Test("A proof answers a challenge of a limited length")
    func proof() async throws {
        try await withGateway { gateway in
            let key = gateway.gateway.storage.key
            let answer = try await gateway.caller.send(.get, "/healthz?challenge=abc")
            #expect(answer.body == ["status": "ok", "proof": .string(key.proof(of: "abc"))])
            for path in ["/healthz?challenge=", "/healthz?challenge=" + String(repeating: "a", count: 65)] {
                #expect(try await gateway.caller.send(.get, path).body == ["status": "ok"])
            }
        }
    }
}
