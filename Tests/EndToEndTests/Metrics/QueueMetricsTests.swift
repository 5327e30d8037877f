import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Queue metrics", .timeLimit(.minutes(10)))
struct QueueMetricsTests {
    @Test("The metrics count the chunks of an earlier process, and time their answers")
    func leftBehind() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                let nowhere = apns.gatewaySettings.merging(["apns.endpoint": "https://127.0.0.1:1"]) { $1 }
                try await ServingProcess.running(in: directory, nowhere) { serving in
                    let daemon = Daemon(serving.caller)
                    try await daemon.register("phone", token: .randomToken())
                    #expect(try await daemon.trigger(isAsync: true).body["pending"] == 1)
                }
                try await ServingProcess.running(in: directory, apns.gatewaySettings) { serving in
                    try await expect("pushgate_queue_chunks 1.0", of: serving)
                    try await expect(#"pushgate_answer_seconds_count{transport="apns"} 1"#, of: serving)
                    let age = try await metrics(of: serving).first { $0.hasPrefix("pushgate_queue_age_seconds ") }
                    #expect(age != nil)
                }
            }
        }
    }

    private func expect(_ line: String, of serving: ServingProcess) async throws {
        #expect(try await eventually { try await metrics(of: serving).contains(line) })
    }

    private func metrics(of serving: ServingProcess) async throws -> [String] {
        try await serving.caller.send(.get, "/metrics").text.split(separator: "\n").map(String.init)
    }
}
