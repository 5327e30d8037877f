import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Uploads of human tasks under attack", .serialized, .timeLimit(.minutes(10)))
struct UploadAttackTests {
    private static let settings = ["functions.humantasks.enabled": "true"]
    /// The largest body that the default settings accept, in bytes.
    private static let largestBody = 64 * 1024 * 1024 + 64 * 1024
    private static let photo: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0] + (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    @Test(
        "Two addresses that announce the largest bodies and send 50 bytes a second do not lock others out",
        arguments: [.plain] + GatewayPort.overTLS)
    func trickle(listener: GatewayPort) async throws {
        try await ServingProcess.runningWithAllPorts(Self.settings) { serving in
            let task = try await makeTask(serving.caller)
            let head = Self.request("/api/hits/\(task)/photos", "image/jpeg", length: Self.largestBody)
            var attackers: [TLSConnection] = []
            for address in ["127.0.0.2", "127.0.0.3", "127.0.0.2", "127.0.0.3"] {
                attackers.append(try await listener.open(serving, from: address))
            }
            for attacker in attackers { try await attacker.send(head + Self.photo.prefix(64)) }
            for round in 0..<20 {
                try await Task.sleep(for: .milliseconds(100))
                for attacker in attackers { attacker.sendInTime(Array(Self.photo.prefix(5))) }
                try await expectAnswers(serving, listener, task, round)
            }
            for attacker in attackers { try await attacker.close() }
        }
    }

    @Test("Addresses that send more than the memory for uploads, and then stop, do not lock others out")
    func stalledBodies() async throws {
        try await ServingProcess.running(Self.settings) { serving in
            let task = try await makeTask(serving.caller)
            let head = Self.request("/api/hits/\(task)/photos", "image/jpeg", length: Self.largestBody)
            let body = Self.photo + [UInt8](repeating: 0, count: 40 * 1024 * 1024)
            let port = serving.caller.port
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    let exchange = RawExchange([.send(head + body), .pause(.seconds(60))])
                    group.addTask {
                        _ = await exchange.run(port: port, from: "127.0.0.\(2 + number / 2)", within: .seconds(8))
                    }
                }
                group.addTask {
                    for round in 0..<12 {
                        try await Task.sleep(for: .milliseconds(500))
                        try await expectAnswers(serving, .plain, task, round)
                    }
                }
                try await group.waitForAll()
            }
            try await eventually("the memory of all uploads is released") {
                let metrics = try await serving.caller.send(.get, "/metrics").text
                return metrics.contains("\npushgate_humantasks_upload_bytes 0.0\n")
            }
        }
    }

    // MARK: Other clients

    /// Checks that a photo, a text answer over the API, and one of the page's form are accepted.
    private func expectAnswers(
        _ serving: ServingProcess, _ listener: GatewayPort, _ task: String, _ round: Int
    ) async throws {
        let answer: JSONValue = ["respondent_name": .string("Tom \(round)"), "response_data": ["a": "b"]]
        let photo = Self.photo + Array("\(round % 10)".utf8)
        for (request, status) in [
            (Self.request("/api/hits/\(task)/photos", "image/jpeg", photo), 201),
            (Self.request("/api/hits/\(task)/respond", "application/json", answer.serialized), 201),
            (Self.request("/hit/\(task)/answer", Self.formType, Self.form(name: "Ann \(round)")), 303),
        ] {
            let connection = try await listener.open(serving, from: "127.0.0.1")
            try await connection.send(request)
            let answer = try await connection.receive { RawAnswer(takenFrom: &$0) }
            #expect(answer.status == status, "round \(round): \(answer.text.prefix(200))")
            try await connection.close()
        }
    }

    /// Makes a poll, which stays open after an answer.
    private func makeTask(_ caller: Caller) async throws -> String {
        let device = try await caller.send(
            .post, "/api/devices/register", body: (["name": "Phone"] as JSONValue).serialized)
        let key = try #require(device.body["mcp_token"]?.string)
        let task = try await caller.send(
            .post, "/api/hits", headerFields: [.authorization: "Bearer \(key)"],
            body: (["recipient_name": "Sarah", "task_description": "Photos", "hit_type": "poll"] as JSONValue)
                .serialized)
        return try #require(task.body["id"]?.string)
    }

    private static let formType = "multipart/form-data; boundary=----Boundary"

    private static func form(name: String) -> [UInt8] {
        let parts = [("name", name), ("text", "Here you are")].map { field, text in
            "------Boundary\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(text)\r\n"
        }
        return Array((parts.joined() + "------Boundary--\r\n").utf8)
    }

    private static func request(_ path: String, _ type: String, _ body: [UInt8]) -> [UInt8] {
        request(path, type, length: body.count) + body
    }

    private static func request(_ path: String, _ type: String, length: Int) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: \(TLSConnection.name)\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(length)\r\n\r\n"
        return Array(head.utf8)
    }
}
