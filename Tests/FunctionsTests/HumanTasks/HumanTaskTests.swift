import DocumentStore
import Functions
import HTTPTypes
import JSON
import Synchronization
import TestDoubles
import Testing

@Suite("Human tasks: creating and reading tasks", .timeLimit(.minutes(10)))
struct HumanTaskTests {
    @Test("A new task has all requested fields and a link")
    func creation() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let answer = try await bench.call(
            .post, "/api/hits",
            [
                "recipient_name": "Sarah", "task_description": "Which one?", "agent_name": "Claude",
                "hit_type": "poll", "config": ["options": ["A", "B", ["nested", [1, 2.5]]]], "group_id": "g-1",
                "sender_name": "Matt", "something": "else",
            ], headers: phone.headers)
        let id = try #require(answer.body["id"]?.string)
        #expect(id.wholeMatch(of: /[a-km-zA-HJ-NP-Z2-9]{8}/) != nil && !id.contains("o"))
        #expect(
            answer
                == .json(
                    .created,
                    [
                        "id": .string(id), "url": .string("https://tasks.example.com/hit/\(id)"),
                        "sender_name": "Matt", "recipient_name": "Sarah", "task_description": "Which one?",
                        "agent_name": "Claude", "status": "pending", "photo_count": 0, "response_count": 0,
                        "created_at": bench.time, "started_at": nil, "completed_at": nil,
                        "expires_at": .string(
                            bench.clock.timestamp.adding(.seconds(7 * 86_400)).description.prefix(23) + "Z"),
                        "device_id": .string(phone.id), "hit_type": "poll",
                        "config": #"{"options":["A","B",["nested",[1,2.5]]]}"#, "group_id": "g-1",
                    ]))
    }

    @Test(
        "A link begins with the system's own address, else with the gateway's",
        arguments: [
            ("https://tasks.example.com", "https://push.example.com/here", "https://tasks.example.com/hit/"),
            (nil, "https://push.example.com/here", "https://push.example.com/here/hit/"), (nil, nil, "/hit/"),
        ] as [(String?, String?, String)])
    func link(own: String?, gateway: String?, beginning: String) async throws {
        let bench = try HumanTasksBench(gatewayURL: gateway, configure: { $0.publicURL = own })
        let task = try await bench.ask(try await bench.makePhone())
        let shown = try await bench.call(.head, "/api/hits/\(task)")
        #expect(shown.body["url"] == .string(beginning + task))
    }

    @Test("A task is the same for everyone with the link, except for the device's id")
    func rows() async throws {
        let bench = try HumanTasksBench()
        let (phone, other) = (try await bench.makePhone(), try await bench.makePhone("Other"))
        let task = try await bench.ask(phone)
        let listed = try await bench.call(.get, "/api/hits", headers: phone.headers)
        var row = try #require(listed.body["hits"]?[0]?.object)
        #expect(row["device_id"] == .string(phone.id))
        for headers in [phone.headers, phone.agentHeaders] {
            let shown = try await bench.call(.head, "/api/hits/\(task)", headers: headers)
            #expect(shown == .json(.ok, .object(row)))
        }
        row["device_id"] = .null
        for headers in [[:], other.headers, other.agentHeaders, .device("x"), [.authorization: "Bearer x"]] {
            let shown = try await bench.call(.head, "/api/hits/\(task)", headers: headers)
            #expect(shown == .json(.ok, .object(row)))
        }
    }

    @Test("A task needs a recipient and a description, and is by default a photo task")
    func smallest() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let answer = try await bench.call(
            .post, "/api/hits",
            ["recipient_name": "Sarah", "task_description": "Water the plants", "config": nil, "participants": nil],
            headers: phone.agentHeaders)
        #expect(answer.status == .created)
        for name in ["agent_name", "config", "group_id", "started_at", "completed_at"] {
            #expect(answer.body[name] == .null, "\(name)")
        }
        #expect(answer.body["hit_type"] == "photo" && answer.body["sender_name"] == "Someone")
        for body in [["task_description": "x"], ["task_description": "x", "recipient_name": ""]] as [JSONValue] {
            let refused = try await bench.call(.post, "/api/hits", body, headers: phone.headers)
            #expect(
                refused == .task(.badRequest, "recipient_name is required when distribution_mode is not set"))
        }
        #expect(try await bench.documents(in: "humanTasks").count == 1)
    }

    @Test("An empty optional text of a task counts as absent", arguments: ["", " \t\n"])
    func emptyTexts(text: String) async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        var body: JSONObject = ["task_description": "Water the plants", "recipient_name": "Sarah"]
        for name in ["agent_name", "hit_type", "group_id", "sender_name", "distribution_mode"] {
            body[name] = .string(text)
        }
        let answer = try await bench.call(.post, "/api/hits", .object(body), headers: phone.headers)
        #expect(answer.status == .created)
        for name in ["agent_name", "group_id"] { #expect(answer.body[name] == .null, "\(name)") }
        #expect(answer.body["hit_type"] == "photo" && answer.body["sender_name"] == "Someone")
    }

    @Test(
        "An invalid task is answered with what is wrong",
        arguments: [
            ("{}", [("task_description", "is required")]),
            (#"{"task_description":""}"#, [("task_description", "must have 1 to 500 characters")]),
            (
                #"{"task_description":"\#(String(repeating: "a", count: 501))","recipient_name":"\#(String(repeating: "b", count: 51))"}"#,
                [
                    ("recipient_name", "must have 1 to 50 characters"),
                    ("task_description", "must have 1 to 500 characters"),
                ]
            ),
            (
                #"{"task_description":"x","config":[],"participants":{},"hit_type":1,"group_id":true}"#,
                [
                    ("hit_type", "must be a string"), ("config", "must be an object"), ("group_id", "must be a string"),
                    ("participants", "must be an array"),
                ]
            ),
            (
                #"{"task_description":"x","hit_type":"Photo","distribution_mode":"all","sender_name":"\#(String(repeating: "c", count: 51))"}"#,
                [
                    ("hit_type", "must be one of photo, poll, availability, group_poll"),
                    ("sender_name", "must have 1 to 50 characters"),
                    ("distribution_mode", "must be one of individual, group, open"),
                ]
            ),
            (
                #"{"task_description":"x","participants":["Tom",1]}"#,
                [("participants", "must have strings only")]
            ),
            (
                #"{"task_description":"x","participants":["Tom"," "]}"#,
                [("participants", "each element must have 1 to 50 characters")]
            ),
            (
                #"{"task_description":"x","participants":[\#(Array(repeating: #""a""#, count: 51).joined(separator: ","))]}"#,
                [("participants", "must have at most 50 elements")]
            ),
            (
                #"{"task_description":"x","config":{"a":"\#(String(repeating: "a", count: 16_384))"}}"#,
                [("config", "must have at most 16384 bytes of JSON")]
            ),
        ] as [(String, [(String?, String)])])
    func badTasks(body: String, issues: [(String?, String)]) async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let answer = try await bench.call(.post, "/api/hits", text: body, headers: phone.headers)
        #expect(answer == .invalid(issues))
        #expect(try await bench.documents(in: "humanTasks").isEmpty)
    }

    @Test("Creating tasks and reading lists need a known device")
    func authorization() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        for (method, path) in [
            (HTTPRequest.Method.post, "/api/hits"), (.get, "/api/hits"), (.get, "/api/hits/\(task)/responses"),
        ] {
            #expect(try await bench.call(method, path) == .task(.unauthorized, "Missing X-Device-ID header"))
            for headers in [HTTPFields.device("x"), .device("00000000-0000-4000-8000-000000000000")] {
                #expect(try await bench.call(method, path, headers: headers) == .task(.forbidden, "Unknown device"))
            }
        }
    }

    @Test("A task id that is in use is replaced by a new one")
    func sameID() async throws {
        let ids = Mutex(["abcdefgh", "abcdefgh", "abcdefgh", "bcdefghj"])
        let bench = try HumanTasksBench(makeID: { ids.withLock { $0.removeFirst() } })
        let phone = try await bench.makePhone()
        let first = try await bench.ask(phone, ["task_description": "First"])
        let second = try await bench.ask(phone, ["task_description": "Second"])
        #expect((first, second) == ("abcdefgh", "bcdefghj"))
        let answer = try await bench.call(.get, "/api/hits/abcdefgh")
        #expect(answer.body["task_description"] == "First")
    }

    @Test("A device may create a limited number of tasks per hour, not counting invalid ones")
    func limit() async throws {
        let bench = try HumanTasksBench(configure: { $0.newTasksPerHourPerDevice = 2 })
        let (phone, other) = (try await bench.makePhone(), try await bench.makePhone("Other"))
        for _ in 0..<5 { _ = try await bench.call(.post, "/api/hits", [:], headers: phone.headers) }
        for _ in 0..<2 { _ = try await bench.ask(phone) }
        let task: JSONValue = ["recipient_name": "Sarah", "task_description": "Another"]
        let refused = FunctionResponse.task(
            .tooManyRequests, "Too many new HITs; try again later", [.retryAfter: "3600"])
        #expect(try await bench.call(.post, "/api/hits", task, headers: phone.headers) == refused)
        #expect(try await bench.call(.post, "/api/hits", task, headers: phone.agentHeaders) == refused)
        #expect(try await bench.documents(in: "humanTasks").count == 2)
        #expect(try await bench.call(.post, "/api/hits", task, headers: other.headers).status == .created)
        bench.clock.advance(by: .seconds(3_600))
        #expect(try await bench.call(.post, "/api/hits", task, headers: phone.headers).status == .created)
    }

    @Test("A device's own tasks are listed newest first")
    func listing() async throws {
        let bench = try HumanTasksBench(configure: { $0.newTasksPerHourPerDevice = 0 })
        let (phone, other) = (try await bench.makePhone(), try await bench.makePhone("Other"))
        _ = try await bench.ask(other)
        var ids: [String] = []
        for _ in 0..<3 {
            bench.clock.advance(by: .seconds(1))
            ids.append(try await bench.ask(phone))
        }
        let answer = try await bench.call(.get, "/api/hits", headers: phone.headers)
        #expect(answer.status == .ok)
        #expect(answer.body["hits"]?.array?.map { $0["id"]?.string } == ids.reversed())
        #expect(answer.body["count"] == 3)
        for number in 0..<60 {
            bench.clock.advance(by: .seconds(1))
            _ = try await bench.ask(phone, ["group_id": number % 2 == 0 ? "even" : "odd"])
        }
        let long = try await bench.call(.get, "/api/hits", headers: phone.headers)
        #expect(long.body["hits"]?.array?.count == 50 && long.body["count"] == 50)
        let even = try await bench.call(.get, "/api/hits", headers: phone.headers, query: ["group_id": "even"])
        #expect(even.body["count"] == 30)
        #expect(even.body["hits"]?.array?.allSatisfy { $0["group_id"] == "even" } == true)
        let none = try await bench.call(.get, "/api/hits", headers: phone.headers, query: ["group_id": "none"])
        #expect(none == .json(.ok, ["hits": [], "count": 0]))
    }

    @Test("The first GET of a task starts it, and a HEAD does not")
    func looking() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let head = try await bench.call(.head, "/api/hits/\(task)")
        #expect(head.body["status"] == "pending")
        bench.clock.advance(by: .seconds(3))
        let first = try await bench.call(.get, "/api/hits/\(task)")
        #expect(first.status == .ok && first.body["status"] == "in_progress" && first.body["started_at"] == bench.time)
        bench.clock.advance(by: .seconds(3))
        #expect(try await bench.call(.get, "/api/hits/\(task)") == first)
    }

    @Test(
        "A task with an unknown id is not found",
        arguments: ["aaaaaaaa", "short", "aaaaaaaa9", "..%2F..%2Fx", "%00", "a%2Fbcdefg", "ﬀﬀﬀﬀﬀﬀﬀﬀ"])
    func unknown(id: String) async throws {
        let bench = try HumanTasksBench()
        _ = try await bench.ask(try await bench.makePhone())
        for (method, action) in [
            (HTTPRequest.Method.get, ""), (.patch, "/complete"), (.post, "/respond"),
        ] {
            let answer = try await bench.call(method, "/api/hits/\(id)\(action)", [:])
            #expect(answer == .task(.notFound, "HIT not found"))
        }
    }

    @Test("A task can be completed once")
    func completion() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let answer = try await bench.call(.patch, "/api/hits/\(task)/complete")
        #expect(
            answer
                == .json(
                    .ok,
                    ["id": .string(task), "status": "completed", "photo_count": 0, "completed_at": bench.time]))
        let again = try await bench.call(.patch, "/api/hits/\(task)/complete")
        #expect(again == .task(.badRequest, "HIT already completed"))
        let late = try await bench.call(
            .post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": [:]])
        #expect(late == .task(.badRequest, "HIT is completed"))
        let shown = try await bench.call(.get, "/api/hits/\(task)")
        #expect(shown.body["status"] == "completed")
        // The task was completed before it could expire.
        bench.clock.advance(by: .seconds(8 * 86_400))
        #expect(try await bench.call(.get, "/api/hits/\(task)") == shown)
    }

    @Test("Of concurrent completions of a task one succeeds, and the device is notified once")
    func race() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for _ in 0..<8 { group.addTask { try await bench.call(.patch, "/api/hits/\(task)/complete").status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == .ok } == 1 && statuses.count { $0 == .badRequest } == 7)
        #expect(try await bench.documents(in: "messages").count == 1)
    }

    @Test("A task expires to the millisecond and accepts nothing afterwards")
    func expiry() async throws {
        let bench = try HumanTasksBench(configure: { $0.lifetime = .seconds(60) })
        let task = try await bench.ask(try await bench.makePhone())
        bench.clock.advance(by: .milliseconds(59_999))
        #expect(try await bench.call(.get, "/api/hits/\(task)").body["status"] == "in_progress")
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.call(.get, "/api/hits/\(task)").body["status"] == "expired")
        #expect(try await bench.call(.patch, "/api/hits/\(task)/complete") == .task(.badRequest, "HIT has expired"))
        let late = try await bench.call(
            .post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": [:]])
        #expect(late == .task(.badRequest, "HIT has expired"))
        #expect(try await bench.documents(in: "messages").isEmpty)
    }

    @Test("Other paths and methods are not found, in the form of human tasks")
    func elsewhere() async throws {
        let bench = try HumanTasksBench()
        for (method, path) in [
            (HTTPRequest.Method.delete, "/api/hits"), (.get, "/api/hits/a/b/c"), (.put, "/api/hits/abcdefgh"),
            (.get, "/api/devices"), (.post, "/api/devices"), (.get, "/api/devices/x/y"), (.get, "/api/devices/x/y/z"),
        ] {
            #expect(try await bench.call(method, path) == .task(.notFound, "Not Found"))
        }
    }

    @Test("A full disk is answered with 503, and nothing is recorded")
    func fullDisk() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        let expected = FunctionResponse.task(.serviceUnavailable, .noRoom, [.retryAfter: "5"])
        for (method, path, body) in [
            (HTTPRequest.Method.post, "/api/hits", ["recipient_name": "Sarah", "task_description": "x"]),
            (.patch, "/api/hits/\(task)/complete", [:]),
            (.post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": [:]]),
            (.post, "/api/devices/register", ["name": "x"]),
            (.post, "/api/devices/\(phone.id)/apns-token", ["token": "x"]),
            (.post, "/api/devices/\(phone.id)/heartbeat", [:]),
        ] as [(HTTPRequest.Method, String, JSONValue)] {
            #expect(try await bench.call(method, path, body, headers: phone.headers) == expected, "\(path)")
        }
        // Stored tasks can still be read.
        let shown = try await bench.call(.get, "/api/hits/\(task)")
        #expect(shown.status == .ok && shown.body["status"] == "pending")
        #expect(try await bench.call(.get, "/hit/\(task)").status == .ok)
        bench.store.set { $0.beforeCommit = { _ in } }
        #expect(try await bench.status(task) == "pending")
        #expect(!bench.log.lines.contains { $0.contains("unexpected error") })
    }

    @Test("An unexpected error is answered with 500 and logged with its cause")
    func unforeseen() async throws {
        let bench = try HumanTasksBench()
        bench.store.set { $0.beforeRead = { _ throws(StoreError) in throw StoreError(.dataLoss, "a broken page") } }
        let answer = try await bench.call(.get, "/api/hits/abcdefgh")
        #expect(answer == .task(.internalServerError, "Internal Server Error"))
        #expect(bench.log.lines.contains { $0.contains("unexpected error") && $0.contains("a broken page") })
    }
}
