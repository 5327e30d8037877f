import DocumentStore
import Foundation
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

/// Tests with the app's own strictness: a required field must be present, have its type and not be `null`.
@Suite("Runs: answers as the app decodes them", .timeLimit(.minutes(10)))
struct RunsAppTests {
    private struct Device: Decodable {
        let token: String
        let platform: String
        let createdAt: Int

        enum CodingKeys: String, CodingKey {
            case token, platform
            case createdAt = "created_at"
        }
    }

    private struct Failure: Decodable {
        struct Details: Decodable {
            let code: String
            let message: String
        }

        let error: Details
    }

    private func decoded<Model: Decodable>(_ answer: FunctionResponse, as model: Model.Type) throws -> Model {
        try JSONDecoder().decode(model, from: Data(answer.body.serialized))
    }

    @Test("The answer to registering a device for runs decodes, with its time in seconds")
    func registration() async throws {
        let bench = try RunsBench()
        let device = try decoded(try await bench.register("token-1"), as: Device.self)
        #expect(device.token == "token-1" && device.platform == "ios")
        #expect(device.createdAt == Int(bench.clock.timestamp.seconds))
    }

    @Test("Each error answer of runs decodes")
    func errors() async throws {
        let bench = try RunsBench()
        for (answer, code) in [
            (try await bench.call(.post, "/api/devices", text: "{"), "invalid_input"),
            (try await bench.call(.delete, "/api/devices/unknown"), "not_found"),
            (try await bench.call(.get, "/api/events/else"), "not_found"),
            (try await bench.call(.post, "/api/events", headers: [.authorization: "Bearer no"]), "unauthorized"),
        ] {
            let failure = try decoded(answer, as: Failure.self)
            #expect(failure.error.code == code && !failure.error.message.isEmpty)
        }
    }

    @Test("Each run notification contains its type, run and approval as texts")
    func payloads() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.requestApproval()
            // The end of the run would take back a notification that still waits.
            #expect(await bench.sent(1).count == 1)
            _ = try await bench.report("event-2", "run_completed")
            let data = await bench.sent(2).map(\.message.message.data)
            #expect(data.map { $0["type"] } == ["approval", "run"])
            #expect(data.allSatisfy { $0["run_id"] == "run-1" && $0["server_id"] == "server-1" })
            #expect(data[0]["approval_id"] == "approval-1" && data[1]["approval_id"] == nil)
        }
    }
}
