import JSON
import TestSupport
import Testing

@Suite("Bad requests", .timeLimit(.minutes(1)))
struct BadRequestTests {
    @Test(
        "2,000 bad requests get their documented answers and leave no data, and a good request then works",
        arguments: [2_026])
    func twoThousand(seed: UInt64) async throws {
        try await withTemporaryDirectory { parent in
            let settings = ["http.requestTimeout": "500ms"]
            try await ServingProcess.running(in: parent + "/data", settings) { serving in
                let requests = BadRequestKind.requests(2_000, seed: seed)
                let results = try await concurrently(requests, limit: 64) { request in
                    (request: request, result: await request.exchange.run(port: serving.caller.port))
                }
                let table = OutcomeTable(results)
                #expect(table.wrong == 0, "\(table)")
                #expect(try await serving.collections() == [])
                #expect(try await serving.inbox() == [])
                try await expectGoodRequestWorks(serving)
                #expect(!serving.child.errorText.contains(" error "), "\(serving.child.errorText)")
            }
        }
    }

    private func expectGoodRequestWorks(_ serving: ServingProcess) async throws {
        let daemon = Daemon(serving.caller)
        #expect(try await daemon.register("phone", token: "emulated:phone").status == 200)
        #expect(try await daemon.trigger(preview: "Still here.").body["sent"] == 1)
        let bodies = try await serving.inbox().map { $0["message"]?["notification"]?["body"] }
        #expect(bodies == ["Still here."])
    }
}
