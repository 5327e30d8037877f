import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Runs: requests", .timeLimit(.minutes(10)))
struct RunsEndpointTests {
    private static func error(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> FunctionResponse {
        FunctionResponse(
            status: status, headerFields: status == .unauthorized ? [.wwwAuthenticate: "Bearer"] : [:],
            body: ["error": ["code": .string(code), "message": .string(message)]])
    }

    @Test(
        "A request to runs without a valid key is refused before its path and body are checked",
        arguments: ["/api/devices", "/api/devices/some/thing", "/api/events", "/api/events/else"])
    func authorization(path: String) async throws {
        let bench = try RunsBench()
        for (value, message) in [
            ("", "missing authorization header"), ("   ", "missing authorization header"),
            ("Bearer", "invalid authorization format"), ("Basic abc", "invalid authorization format"),
            ("Bearer no-key-of-ours", "invalid api key"), ("bearer \(RunsBench.key)x", "invalid api key"),
        ] {
            let answer = try await bench.call(.post, path, text: "{", headers: [.authorization: value])
            #expect(answer == Self.error(.unauthorized, "unauthorized", message), "\(value)")
        }
    }

    @Test("An address with ten wrong keys waits for the window's end, unless it used the right key before")
    func failures() async throws {
        let bench = try RunsBench()
        func report(_ key: String, from address: String) async throws -> FunctionResponse {
            try await bench.call(
                .post, "/api/events", text: "{", headers: [.authorization: "Bearer \(key)"], address: address)
        }
        let limited = FunctionResponse(
            status: .tooManyRequests, headerFields: [.retryAfter: "300"],
            body: ["error": ["code": "rate_limited", "message": "too many failed attempts"]])
        #expect(try await report(RunsBench.key, from: "192.0.2.1").status == .badRequest)
        for address in ["192.0.2.1", "192.0.2.2"] {
            for _ in 0..<10 { #expect(try await report("wrong", from: address).status == .unauthorized) }
            #expect(try await report("wrong", from: address) == limited)
        }
        #expect(try await report(RunsBench.key, from: "192.0.2.1").status == .badRequest)
        #expect(try await report(RunsBench.key, from: "192.0.2.2") == limited)
        #expect(try await report(RunsBench.key, from: "192.0.2.3").status == .badRequest)
        bench.clock.advance(by: .seconds(300))
        #expect(try await report(RunsBench.key, from: "192.0.2.2").status == .badRequest)
    }

    @Test("The authorization scheme of runs is read in any letter case", arguments: ["bearer", "BEARER", "Bearer"])
    func scheme(scheme: String) async throws {
        let bench = try RunsBench()
        let answer = try await bench.call(
            .post, "/api/devices", ["token": "t", "platform": "ios"],
            headers: [.authorization: "\(scheme) \(RunsBench.key)"])
        #expect(answer.status == .created)
    }

    @Test("A device registered again for runs stays one device")
    func registration() async throws {
        let bench = try RunsBench()
        let expected = FunctionResponse.json(
            .created, ["token": "token-1", "platform": "ios", "created_at": .integer(bench.clock.timestamp.seconds)])
        let first = try await bench.register()
        #expect(first == expected)
        bench.clock.advance(by: .seconds(5))
        let again = try await bench.register()
        #expect(again == expected)
        let devices = try await bench.documents(in: "runDevices")
        #expect(devices.map { $0["deviceToken"]?.string } == ["token-1"])
        #expect(devices.allSatisfy { !$0.path.description.contains("token-1") })
    }

    @Test(
        "An invalid registration for runs is answered with its reason",
        arguments: [
            ("", "invalid JSON body"), ("[]", "invalid JSON body"), ("{", "invalid JSON body"),
            ("{}", "token is required"), (#"{"token":""}"#, "token is required"),
            (#"{"token":" \t","platform":"ios"}"#, "token is required"),
            (#"{"token":"t","platform":" "}"#, "platform is required"),
            (#"{"token":7,"platform":"ios"}"#, "token is required"), (#"{"token":"t"}"#, "platform is required"),
            (#"{"token":"t","platform":"android"}"#, "invalid platform, must be 'ios'"),
            (#"{"token":"t","platform":"IOS"}"#, "invalid platform, must be 'ios'"),
        ])
    func badRegistrations(body: String, message: String) async throws {
        let bench = try RunsBench()
        let answer = try await bench.call(.post, "/api/devices", text: body)
        #expect(answer == Self.error(.badRequest, "invalid_input", message))
        let devices = try await bench.documents(in: "runDevices")
        #expect(devices.isEmpty)
    }

    @Test("A device is removed once from runs and then not found")
    func removal() async throws {
        let bench = try RunsBench()
        _ = try await bench.register("a/b c")
        let removed = try await bench.call(.delete, "/api/devices/a%2Fb%20c")
        #expect(removed == FunctionResponse(status: .noContent, content: .none))
        let again = try await bench.call(.delete, "/api/devices/a%2Fb%20c")
        #expect(again == Self.error(.notFound, "not_found", "device not found"))
    }

    @Test(
        "An invalid event of a run is answered with its reason",
        arguments: [
            ("[]", "invalid JSON body"), ("{}", "id is required"), (#"{"id":"1"}"#, "run_id is required"),
            (#"{"id":"1","run_id":"2"}"#, "type is required"),
            (#"{"id":"1","run_id":"2","type":"approval_requested"}"#, "data.approval_id is required"),
            (#"{"id":"1","run_id":"2","type":"approval_resolved","data":{}}"#, "data.approval_id is required"),
        ])
    func badEvents(body: String, message: String) async throws {
        let bench = try RunsBench()
        let answer = try await bench.call(.post, "/api/events", text: body)
        #expect(answer == Self.error(.badRequest, "invalid_input", message))
    }

    @Test("A body over 64 KiB is refused by runs")
    func tooLarge() async throws {
        let bench = try RunsBench()
        let answer = try await bench.call(.post, "/api/events", text: String(repeating: " ", count: 65_537))
        #expect(answer.status == .contentTooLarge)
    }

    @Test("Other methods and paths are not found, in the form of runs")
    func elsewhere() async throws {
        let bench = try RunsBench()
        for (method, path) in [
            (HTTPRequest.Method.get, "/api/devices"), (.put, "/api/events"), (.get, "/api/events/1"),
        ] {
            let answer = try await bench.call(method, path)
            #expect(answer == Self.error(.notFound, "not_found", "there is nothing here"))
        }
    }
}
