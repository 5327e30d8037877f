import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Human tasks on a gateway", .timeLimit(.minutes(10)))
struct HumanTasksLifeTests {
    private static let settings = [
        "functions.humantasks.enabled": "true", "functions.humantasks.newDevicesPerHourPerAddress": "0",
    ]
    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0] + (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private struct Phone {
        let id: String
        let key: String

        var headers: HTTPFields {
            var fields: HTTPFields = [:]
            if let name = HTTPField.Name("X-Device-ID") { fields[name] = id }
            return fields
        }
        var agentHeaders: HTTPFields { [.authorization: "Bearer \(key)"] }
    }

    private func call(
        _ gateway: RunningGateway, _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil,
        _ headers: HTTPFields = [:]
    ) async throws -> Answer {
        try await gateway.caller.send(method, path, headerFields: headers, body: body?.serialized ?? [])
    }

    private func makePhone(_ gateway: RunningGateway, token: String) async throws -> Phone {
        let answer = try await call(gateway, .post, "/api/devices/register", ["name": "Matt's iPhone"])
        #expect(answer.status == 201)
        let phone = Phone(
            id: try #require(answer.body["id"]?.string), key: try #require(answer.body["mcp_token"]?.string))
        let stored = try await call(
            gateway, .post, "/api/devices/\(phone.id)/apns-token", ["token": .string(token)], phone.headers)
        #expect(stored.status == 200 && stored.body["status"] == "ok")
        return phone
    }

    private func ask(_ gateway: RunningGateway, _ phone: Phone, type: String) async throws -> String {
        let answer = try await call(
            gateway, .post, "/api/hits",
            ["recipient_name": "Sarah", "task_description": "The living room", "hit_type": .string(type)],
            phone.agentHeaders)
        let id = try #require(answer.body["id"]?.string)
        #expect(answer.status == 201 && answer.body["url"] == .string("\(gateway.url)/hit/\(id)"))
        return id
    }

    @Test("Human tasks work from registration to completion across a restart, and remove a dead token")
    func life() async throws {
        let (token, deadToken) = (String.randomToken(), String.randomToken())
        try await withSimulator { apns in
            apns.simulator.script(
                token: deadToken,
                answers: [ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 4_000_000_000_000)])
            try await withDataDirectory { directory in
                let (phone, photos, photoID, poll) = try await withGateway(
                    Self.settings, simulator: apns, in: directory
                ) { gateway in
                    let phone = try await makePhone(gateway, token: token)
                    let photos = try await ask(gateway, phone, type: "photo")
                    let shown = try await call(gateway, .get, "/api/hits/\(photos)")
                    #expect(shown.status == 200 && shown.body["status"] == "in_progress")
                    let added = try await gateway.caller.send(
                        .post, "/api/hits/\(photos)/photos", headerFields: [.contentType: "image/jpeg"],
                        body: Self.jpeg)
                    #expect(added.status == 201)
                    let poll = try await ask(gateway, phone, type: "group_poll")
                    let gone = try await makePhone(gateway, token: deadToken)
                    let asked = try await ask(gateway, gone, type: "photo")
                    // The gateway removes a dead token only after a delivery to another token.
                    #expect(try await respond(gateway, poll, "Tom") == 201)
                    try await eventually("the vote") { apns.simulator.received().contains { $0.token == token } }
                    #expect(try await call(gateway, .patch, "/api/hits/\(asked)/complete").status == 200)
                    try await eventually("one token is left") {
                        try await gateway.ask(
                            "/v1/projects/pushgate/databases/(default)/documents/humanTaskTokens"
                        ).body["documents"]?.array?.count == 1
                    }
                    return (phone, photos, try #require(added.body["photos"]?[0]?["id"]?.string), poll)
                }
                let vote = try #require(apns.simulator.received().first { $0.token == token })
                #expect(
                    vote.payloadWithoutID == [
                        "aps": [
                            "alert": ["title": "New Group Poll Vote", "body": "Tom voted in your group poll"],
                            "sound": "default",
                        ], "hit_id": .string(poll),
                    ])
                apns.simulator.reset()
                // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                let restored = directory + "-restored"
                try FileManager.default.copyItem(atPath: directory, toPath: restored)
                try await withGateway(Self.settings, simulator: apns, in: restored) { gateway in
                    let list = try await call(gateway, .get, "/api/hits", nil, phone.agentHeaders)
                    #expect(list.body["hits"]?.array?.map { $0["id"]?.string } == [poll, photos])
                    let picture = try await call(
                        gateway, .get, "/api/hits/\(photos)/photos/\(photoID)", nil, phone.headers)
                    #expect(picture.bytes == Self.jpeg && picture.headerFields[.contentType] == "image/jpeg")
                    #expect(picture.headerFields[.xContentTypeOptions] == "nosniff")
                    #expect(try await respond(gateway, poll, "TOM") == 409)
                    let device = try await call(gateway, .get, "/api/devices/\(phone.id)")
                    #expect(device.body["connection_status"] == "connected")
                    let done = try await call(gateway, .patch, "/api/hits/\(photos)/complete")
                    #expect(done.status == 200 && done.body["photo_count"] == 1)
                    try await eventually("the completion arrives") { apns.simulator.received().count == 1 }
                }
                let end = try #require(apns.simulator.received().first)
                #expect(end.token == token && end.pushType == "alert" && end.priority == "10")
                #expect(end.header("apns-collapse-id") == photos)
                #expect(
                    end.payloadWithoutID == [
                        "aps": [
                            "alert": ["title": "HIT Completed", "body": "Sarah sent 1 photo"], "sound": "default",
                        ], "hit_id": .string(photos),
                    ])
            }
        }
    }

    private func respond(_ gateway: RunningGateway, _ task: String, _ name: String) async throws -> Int {
        try await call(
            gateway, .post, "/api/hits/\(task)/respond",
            ["respondent_name": .string(name), "response_data": ["choices": ["A"]]]
        ).status
    }

    @Test("The paths of human tasks answer 404 unless human tasks are enabled")
    func off() async throws {
        try await withGateway { gateway in
            for (method, path) in [
                (HTTPRequest.Method.post, "/api/devices/register"), (.get, "/api/hits"), (.get, "/api/hits/abcdefgh"),
                (.post, "/api/hits/abcdefgh/photos"),
            ] {
                let answer = try await call(gateway, method, path)
                #expect(answer.status == 404 && answer.body["error"]?["status"] == "NOT_FOUND")
            }
        }
    }

    @Test("Human tasks and runs, enabled together, each answer their own paths")
    func withRuns() async throws {
        let key = "a-key-of-this-test-0001"
        let settings = Self.settings.merging(["functions.runs.enabled": "true", "functions.runs.apiKeys": key]) { $1 }
        try await withGateway(settings) { gateway in
            let authorization: HTTPFields = [.authorization: "Bearer \(key)"]
            let run = try await call(
                gateway, .post, "/api/devices", ["token": "emulated:1", "platform": "ios"], authorization)
            #expect(run.status == 201)
            let phone = try await makePhone(gateway, token: "emulated:2")
            #expect(try await call(gateway, .get, "/api/devices/\(phone.id)").status == 200)
            #expect(
                try await call(gateway, .delete, "/api/devices/emulated:1", nil, authorization).status == 204)
            for (method, path) in [
                (HTTPRequest.Method.get, "/api/devices"), (.delete, "/api/devices/x"), (.get, "/api/events"),
            ] {
                let answer = try await call(gateway, method, path)
                #expect(answer.status == 401 && answer.body["error"]?["code"] == "unauthorized", "\(path)")
            }
            for (method, path) in [
                (HTTPRequest.Method.put, "/api/devices/x"), (.get, "/api/devices/x/y"), (.put, "/api/hits"),
            ] {
                let answer = try await call(gateway, method, path)
                #expect(answer.status == 404 && answer.body == ["error": "Not Found"], "\(path)")
            }
        }
    }

    @Test(
        "A path with dot segments below human tasks answers 404",
        arguments: ["/hit/../lock", "/hit/./../../etc/passwd", "/api/hits/../lock"])
    func paths(path: String) async throws {
        let outcome = try await withGateway(Self.settings) { gateway in
            await RawExchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n").run(port: gateway.port)
        }
        #expect(outcome.answers.map(\.status) == [404])
    }

    @Test("The link to a task starts with the request's scheme and host if the host is a plain name")
    func links() async throws {
        try await withGateway(Self.settings) { gateway in
            let phone = try await makePhone(gateway, token: "emulated:1")
            for (host, beginning) in [
                ("tasks.example.com", "http://tasks.example.com/hit/"), ("[::1]:8080", "http://[::1]:8080/hit/"),
                // RFC 3986 allows this name, but no resolver does.
                ("a'(1)", "/hit/"), ("", "/hit/"),
            ] {
                let body = #"{"recipient_name":"Sarah","task_description":"x"}"#
                let outcome = await RawExchange(
                    "POST /api/hits HTTP/1.1\r\nHost: \(host)\r\nX-Device-ID: \(phone.id)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                ).run(port: gateway.port)
                let url = outcome.answers.first?.json?["url"]?.string ?? ""
                #expect(url.hasPrefix(beginning), "\(host): \(url)")
            }
        }
    }

    @Test("A failed write of a photo is logged without the task's id, as that is the link's secret")
    func secrecy() async throws {
        try await withGateway(Self.settings.merging(["store.files": "directory"]) { $1 }) { gateway in
            let task = try await ask(gateway, try await makePhone(gateway, token: "emulated:1"), type: "photo")
            #expect(FileManager.default.createFile(atPath: gateway.directory + "/photos", contents: nil))
            let answer = try await gateway.caller.send(
                .post, "/api/hits/\(task)/photos", headerFields: [.contentType: "image/jpeg"], body: Self.jpeg)
            #expect(answer.status == 503)
            #expect(gateway.log.lines.contains { $0.contains("failed to read or write a file") })
            #expect(!gateway.log.lines.contains { $0.contains(task) })
        }
    }

    @Test("Human tasks answer each of 2,000 bad requests in their own form")
    func badRequests() async throws {
        var generator = SeededGenerator(seed: 5)
        let bodies = [
            "", "{", "[]", "null", #"{"name":1}"#, #"{"name":"\u0000"}"#, #"{"task_description":{}}"#,
            String(repeating: "[", count: 2_000), "--b\r\n", "--b\r\n\r\n\r\n--b--",
            "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"../../x\"\r\n\r\n<svg/>\r\n--b--",
        ]
        let types = ["application/json", "multipart/form-data; boundary=b", "multipart/form-data", "image/svg+xml"]
        try await withGateway(Self.settings) { gateway in
            let phone = try await makePhone(gateway, token: "emulated:1")
            let task = try await ask(gateway, phone, type: "photo")
            let paths = [
                "/api/devices/register", "/api/devices/\(phone.id)/apns-token", "/api/devices/..%2F..%2Fx/heartbeat",
                "/api/hits", "/api/hits/\(task)/respond", "/api/hits/\(task)/photos", "/api/hits/%2e%2e/photos",
                "/api/hits/%2E%2E%2f%2e%2e%2fetc%2fpasswd", "/api/hits/\(task)/photos/..%2f..%2fpushgate.sqlite",
                "/api/hits/%00/complete", "/api/hits/\(task)/x/y",
            ]
            let pages = ["/hit/\(task)", "/hit/\(task)/answer", "/hit/%2e%2e", "/hit/..%2f..%2fetc", "/hit/%00/answer"]
            for _ in 0..<2_000 {
                let path = (paths + pages).randomElement(using: &generator) ?? ""
                let method = [HTTPRequest.Method.post, .put, .patch].randomElement(using: &generator) ?? .post
                let body = bodies.randomElement(using: &generator) ?? ""
                var headers = Bool.random(using: &generator) ? phone.headers : [:]
                headers[.contentType] = types.randomElement(using: &generator)
                let answer = try await gateway.caller.send(
                    method, path, headerFields: headers, body: Array(body.utf8))
                let isInForm = path.hasPrefix("/hit/") ? answer.text.contains("</html>") : answer.code != nil
                #expect((400...422).contains(answer.status) && isInForm, "\(method) \(path) \(body)")
            }
            #expect(try await respond(gateway, task, "Tom") == 201)
            #expect(!gateway.log.lines.contains { $0.contains("unexpected error") })
            #expect(!FileManager.default.fileExists(atPath: gateway.directory + "/photos"))
        }
    }
}
