import DocumentStore
import Functions
import HTTPTypes
import JSON
import Synchronization
import TestDoubles
import Testing

@Suite("Human tasks: devices", .timeLimit(.minutes(10)))
struct TaskDeviceTests {
    private static let vendor = "6D2F9C3A-0B1E-4C5D-8E7F-112233445566"

    private func register(
        _ bench: HumanTasksBench, _ body: JSONValue, address: String = "192.0.2.1"
    ) async throws -> FunctionResponse {
        try await bench.call(.post, "/api/devices/register", body, address: address)
    }

    @Test("A new device gets an id, a token and its times, and neither token nor vendor id is stored")
    func registration() async throws {
        let bench = try HumanTasksBench()
        let answer = try await register(bench, ["name": " Matt's iPhone ", "vendor_id": .string(Self.vendor)])
        #expect(answer.status == .created)
        let id = try #require(answer.body["id"]?.string)
        let token = try #require(answer.body["mcp_token"]?.string)
        #expect(token.wholeMatch(of: /[0-9a-f]{48}/) != nil)
        #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(
            answer.body == [
                "id": .string(id), "name": "Matt's iPhone", "mcp_token": .string(token), "registered_at": bench.time,
                "last_seen_at": bench.time,
            ])
        for collection in ["humanTaskDevices", "humanTaskKeys", "humanTaskVendors"] {
            for document in try await bench.documents(in: collection) {
                let text = "\(document.path) \(document.fields)".lowercased()
                #expect(!text.contains(token) && !text.contains(Self.vendor.lowercased()))
            }
        }
        let other = try await register(bench, ["name": "Another"])
        #expect(other.body["mcp_token"] != answer.body["mcp_token"] && other.body["id"] != answer.body["id"])
    }

    @Test("Registering the same vendor id again keeps the device and its token, unless a new one is requested")
    func again() async throws {
        let bench = try HumanTasksBench()
        let first = try await register(bench, ["name": "One", "vendor_id": .string(Self.vendor)])
        let registeredAt = bench.time
        bench.clock.advance(by: .seconds(60))
        let second = try await register(bench, ["name": "Two", "vendor_id": .string(Self.vendor.lowercased())])
        #expect(
            second
                == .json(
                    .ok,
                    [
                        "id": first.body["id"] ?? .null, "name": "Two", "mcp_token": first.body["mcp_token"] ?? .null,
                        "registered_at": registeredAt, "last_seen_at": bench.time,
                    ]))
        let third = try await register(
            bench, ["name": "Two", "vendor_id": .string(Self.vendor), "regenerate_token": true])
        #expect(third.status == .ok && third.body["id"] == first.body["id"])
        let (old, new) = (try #require(first.body["mcp_token"]?.string), try #require(third.body["mcp_token"]?.string))
        #expect(old != new)
        let refused = try await bench.call(.get, "/api/hits", headers: [.authorization: "Bearer \(old)"])
        #expect(refused == .task(.unauthorized, "Missing X-Device-ID header"))
        let taken = try await bench.call(.get, "/api/hits", headers: [.authorization: "bearer \(new)"])
        #expect(taken.status == .ok)
    }

    @Test("Concurrent registrations of one vendor id make one device")
    func race() async throws {
        let bench = try HumanTasksBench()
        let answers = try await withThrowingTaskGroup(of: FunctionResponse.self) { group in
            for _ in 0..<8 {
                group.addTask { try await register(bench, ["name": "One", "vendor_id": .string(Self.vendor)]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.compactMap { $0.body["id"]?.string }).count == 1)
        #expect(answers.count { $0.status == .created } == 1 && answers.count { $0.status == .ok } == 7)
        let devices = try await bench.documents(in: "humanTaskDevices")
        #expect(devices.count == 1)
    }

    @Test("A device that registers again after the token key was lost gets a working token")
    func lostKey() async throws {
        let bench = try HumanTasksBench()
        let first = try await register(bench, ["name": "One", "vendor_id": .string(Self.vendor)])
        let later = try HumanTasksBench(
            on: bench.disk, clock: bench.clock, tokenKey: Array(repeating: 8, count: 32))
        let second = try await register(later, ["name": "One", "vendor_id": .string(Self.vendor)])
        #expect(second.body["id"] == first.body["id"] && second.body["mcp_token"] != first.body["mcp_token"])
        let token = try #require(second.body["mcp_token"]?.string)
        let answer = try await later.call(.get, "/api/hits", headers: [.authorization: "Bearer \(token)"])
        #expect(answer.status == .ok)
    }

    @Test("A device that an operator deleted is a new one when it registers again, and counts once")
    func deletedDevice() async throws {
        let bench = try HumanTasksBench(configure: { $0.newDevicesPerHourPerAddress = 3 })
        let body: JSONValue = ["name": "One", "vendor_id": .string(Self.vendor)]
        let first = try await register(bench, body)
        for document in try await bench.documents(in: "humanTaskDevices") {
            _ = try await bench.disk.documents.commit([.delete(document.path)])
        }
        let second = try await register(bench, body)
        #expect(second.status == .created)
        #expect(second.body["id"] != first.body["id"] && second.body["mcp_token"] != first.body["mcp_token"])
        let token = try #require(second.body["mcp_token"]?.string)
        let called = try await bench.call(.get, "/api/hits", headers: [.authorization: "Bearer \(token)"])
        #expect(called.status == .ok)
        let third = try await register(bench, body)
        #expect(third.status == .ok && third.body["id"] == second.body["id"])
        // Two of the three new devices of the hour are used.
        #expect(try await register(bench, ["name": "Two"]).status == .created)
        #expect(try await register(bench, ["name": "Three"]).status == .tooManyRequests)
    }

    @Test("A registration that finds its device just registered does not count as a new device")
    func raceBelowLimit() async throws {
        let bench = try HumanTasksBench(configure: { $0.newDevicesPerHourPerAddress = 1 })
        let body: JSONValue = ["name": "One", "vendor_id": .string(Self.vendor)]
        let isFirst = Mutex(true)
        bench.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in
                let isFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard isFirst else { return }
                do {
                    _ = try await register(bench, body, address: "192.0.2.2")
                } catch {
                    throw StoreError(.internal, "\(error)")
                }
            }
        }
        #expect(try await register(bench, body).status == .ok)
        #expect(try await register(bench, ["name": "Two"]).status == .created)
        #expect(try await register(bench, ["name": "Three"]).status == .tooManyRequests)
    }

    @Test(
        "An invalid registration of a device is answered with everything that is wrong",
        arguments: [
            (#"{}"#, [("name", "is required")]), (#"{"name":null}"#, [("name", "is required")]),
            (#"{"name":" "}"#, [("name", "must have 1 to 100 characters")]),
            (#"{"name":7}"#, [("name", "must be a string")]),
            (#"{"name":"a\u0000b"}"#, [("name", "must not contain NUL")]),
            (
                #"{"name":"","vendor_id":"x","regenerate_token":"yes"}"#,
                [
                    ("name", "must have 1 to 100 characters"), ("vendor_id", "must be a UUID"),
                    ("regenerate_token", "must be true or false"),
                ]
            ),
            ("[]", [(nil, "must be an object")]),
        ] as [(String, [(String?, String)])])
    func badRegistrations(body: String, issues: [(String?, String)]) async throws {
        let bench = try HumanTasksBench()
        let answer = try await bench.call(.post, "/api/devices/register", text: body)
        #expect(answer == .invalid(issues))
        let devices = try await bench.documents(in: "humanTaskDevices")
        #expect(devices.isEmpty)
    }

    @Test("A body that is not JSON or too large is refused")
    func badBodies() async throws {
        let bench = try HumanTasksBench()
        for text in ["", "{", "{'name':1}", String(repeating: "[", count: 5_000)] {
            let answer = try await bench.call(.post, "/api/devices/register", text: text)
            #expect(answer == .task(.badRequest, "Malformed JSON in request body"))
        }
        let answer = try await bench.call(
            .post, "/api/devices/register", text: String(repeating: " ", count: 65_537))
        #expect(answer == .task(.contentTooLarge, "Request body too large"))
    }

    @Test("An address may register a limited number of new devices per hour, and known ones without limit")
    func limit() async throws {
        let bench = try HumanTasksBench(configure: { $0.newDevicesPerHourPerAddress = 2 })
        let known: JSONValue = ["name": "One", "vendor_id": .string(Self.vendor)]
        _ = try await register(bench, known)
        _ = try await register(bench, ["name": "Two"])
        let refused = try await register(bench, ["name": "Three"])
        #expect(
            refused == .task(.tooManyRequests, "Too many new devices; try again later", [.retryAfter: "3600"]))
        #expect(try await register(bench, known).status == .ok)
        #expect(try await register(bench, ["name": "Four"], address: "192.0.2.2").status == .created)
        bench.clock.advance(by: .seconds(3_600))
        #expect(try await register(bench, ["name": "Three"]).status == .created)
    }

    @Test("A device is shown by its id, without its token")
    func showing() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone(token: nil)
        let answer = try await bench.call(.get, "/api/devices/\(phone.id.uppercased())")
        #expect(
            answer
                == .json(
                    .ok,
                    [
                        "id": .string(phone.id), "name": "Matt's iPhone", "registered_at": bench.time,
                        "last_seen_at": bench.time, "last_mcp_call_at": nil, "connection_status": "not_connected",
                    ]))
        for id in ["00000000-0000-4000-8000-000000000000", "x", "..%2F..", "%00"] {
            let missing = try await bench.call(.get, "/api/devices/\(id)")
            #expect(missing == .task(.notFound, "Device not found"), "\(id)")
        }
    }

    @Test(
        "An agent is connected for a minute after its last call and recent for five",
        arguments: [
            (0, "connected"), (60, "connected"), (61, "recent"), (300, "recent"), (301, "not_connected"),
        ])
    func connection(age: Int, status: String) async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let answer = try await bench.call(.post, "/api/devices/\(phone.id)/heartbeat", headers: phone.agentHeaders)
        #expect(answer == FunctionResponse(status: .noContent, content: .none))
        let calledAt = bench.time
        bench.clock.advance(by: .seconds(age))
        let shown = try await bench.call(.get, "/api/devices/\(phone.id)")
        #expect(shown.body["connection_status"] == .string(status))
        #expect(shown.body["last_mcp_call_at"] == calledAt && shown.body["last_seen_at"] == calledAt)
    }

    @Test("A call with a token is visible at once as the agent's last call and stored later")
    func anyCall() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        bench.clock.advance(by: .seconds(5))
        _ = try await bench.call(.get, "/api/hits", headers: phone.headers)
        let seen = try await bench.call(.get, "/api/devices/\(phone.id)")
        #expect(seen.body["last_mcp_call_at"] == .null && seen.body["last_seen_at"] == bench.time)
        bench.clock.advance(by: .seconds(5))
        bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        let called = try await bench.call(.get, "/api/hits", headers: phone.agentHeaders)
        #expect(called.status == .ok)
        let shown = try await bench.call(.get, "/api/devices/\(phone.id)")
        #expect(shown.body["last_mcp_call_at"] == bench.time && shown.body["connection_status"] == "connected")
        try await bench.running {
            try await eventually("the write fails") {
                bench.log.lines.contains { $0.contains("failed to store the devices' last calls") }
            }
            bench.store.set { $0.beforeCommit = { _ in } }
            try await eventually("the time is stored", advancing: bench.clock, by: .seconds(5)) {
                try await bench.documents(in: "humanTaskPresence").first?["lastMcpCallAt"] != nil
            }
        }
    }

    @Test("A device has one stored token, which a new one replaces")
    func tokens() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        for headers in [phone.headers, phone.agentHeaders] {
            let answer = try await bench.call(
                .post, "/api/devices/\(phone.id)/apns-token", ["token": "token-2"], headers: headers)
            #expect(answer == .json(.ok, ["status": "ok", "updated_at": bench.time]))
        }
        let tokens = try await bench.documents(in: "humanTaskTokens")
        #expect(tokens.map { $0["deviceToken"]?.string } == ["token-2"])
        #expect(tokens.map(\.path.id) == [phone.id])
    }

    @Test("A token or heartbeat is accepted only for the caller's own device")
    func otherDevices() async throws {
        let bench = try HumanTasksBench()
        let (mine, other) = (try await bench.makePhone(), try await bench.makePhone("Other", token: nil))
        var both = mine.agentHeaders
        for field in other.headers { both[field.name] = field.value }
        for (headers, path, expected) in [
            (HTTPFields(), mine.id, FunctionResponse.task(.unauthorized, "Missing X-Device-ID header")),
            (
                HTTPFields([HTTPField(name: .authorization, value: "Bearer x")]), mine.id,
                .task(.unauthorized, "Missing X-Device-ID header")
            ),
            (.device("who"), mine.id, .task(.forbidden, "Unknown device")),
            (mine.headers, other.id, .task(.forbidden, "Not the device of this path")),
            (mine.agentHeaders, other.id, .task(.forbidden, "Not the device of this path")),
            (mine.headers, "00000000-0000-4000-8000-000000000000", .task(.notFound, "Device not found")),
        ] as [(HTTPFields, String, FunctionResponse)] {
            for action in ["apns-token", "heartbeat"] {
                let answer = try await bench.call(
                    .post, "/api/devices/\(path)/\(action)", ["token": "stolen"], headers: headers)
                #expect(answer == expected, "\(action) \(headers)")
            }
        }
        #expect(try await bench.documents(in: "humanTaskTokens").map { $0["deviceToken"]?.string } == ["token-1"])
        // The bearer token decides, whatever the header says.
        let answer = try await bench.call(
            .post, "/api/devices/\(mine.id)/apns-token", ["token": "token-2"], headers: both)
        #expect(answer.status == .ok)
    }

    @Test(
        "An invalid device token is answered with what is wrong",
        arguments: [
            ("", FunctionResponse.task(.badRequest, "Invalid JSON body")),
            ("{", .task(.badRequest, "Invalid JSON body")), ("7", .invalid([(nil, "must be an object")])),
            ("{}", .invalid([("token", "is required")])), (#"{"token":7}"#, .invalid([("token", "must be a string")])),
            (#"{"token":""}"#, .invalid([("token", "must have 1 to 200 characters")])),
            (
                #"{"token":"\#(String(repeating: "a", count: 201))"}"#,
                .invalid([("token", "must have 1 to 200 characters")])
            ),
        ])
    func badTokens(body: String, expected: FunctionResponse) async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone(token: nil)
        let answer = try await bench.call(
            .post, "/api/devices/\(phone.id)/apns-token", text: body, headers: phone.headers)
        #expect(answer == expected)
        #expect(try await bench.documents(in: "humanTaskTokens").isEmpty)
    }
}
