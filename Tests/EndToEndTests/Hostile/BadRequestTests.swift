import JSON
import TestSupport
import Testing

@Suite("Bad requests", .timeLimit(.minutes(10)))
struct BadRequestTests {
    @Test(
        "2,000 bad requests get their documented answers and leave no data, and a good request then works",
        arguments: [2_026])
    func twoThousand(seed: UInt64) async throws {
        try await ServingProcess.running(["http.requestTimeout": "2s"]) { serving in
            try await expectAnswers(serving, port: serving.caller.port, count: 2_000, seed: seed)
        }
    }

    @Test("So do 500 over HTTPS", arguments: [2_027])
    func overTLS(seed: UInt64) async throws {
        // The time for a request is also that for a handshake.
        try await ServingProcess.runningWithAllPorts(["http.requestTimeout": "3s"]) { serving in
            let caFile = serving.directory + "/../ca.pem"
            try await TLSTunnel.running(to: try serving.port("https"), trusting: caFile) { port in
                try await expectAnswers(serving, port: port, count: 500, limit: 16, seed: seed)
            }
        }
    }

    @Test("500 bad requests to the port that leads to HTTPS do not stop it", arguments: [2_028])
    func redirect(seed: UInt64) async throws {
        try await ServingProcess.runningWithAllPorts(["http.requestTimeout": "2s"]) { serving in
            let port = UInt16(try serving.port("redirect"))
            let results = try await concurrently(BadRequestKind.requests(500, seed: seed), limit: 64) { request in
                await request.exchange.run(port: port)
            }
            let statuses = Set(results.flatMap(\.answers).map(\.status))
            #expect(statuses.isSubset(of: [308, 400, 403, 408, 413, 417, 421, 431, 501, 505]), "\(statuses)")
            #expect(try await serving.collections() == [])
            let connection = try await GatewayPort.redirect.open(serving)
            #expect(try await connection.exchange(TLSConnection.healthRequest).status == 308)
            for token in ["", "..", "%2e%2e%2fadmin-token", "a/b", String(repeating: "a", count: 4_000), "%00"] {
                let request = "GET /.well-known/acme-challenge/\(token) HTTP/1.1\r\nHost: \(TLSConnection.name)\r\n\r\n"
                // Nothing is being proved.
                #expect(try await connection.exchange(request).status == 404, "\(token)")
            }
            try await connection.close()
            #expect(!serving.child.errorText.contains(" error "), "\(serving.child.errorText)")
        }
    }

    private func expectAnswers(
        _ serving: ServingProcess, port: UInt16, count: Int, limit: Int = 64, seed: UInt64
    ) async throws {
        let results = try await concurrently(BadRequestKind.requests(count, seed: seed), limit: limit) { request in
            (request: request, result: await request.exchange.run(port: port))
        }
        let table = OutcomeTable(results)
        #expect(table.wrong == 0, "\(table)")
        #expect(try await serving.collections() == [])
        #expect(try await serving.inbox() == [])
        try await expectGoodRequestWorks(serving)
        #expect(!serving.child.errorText.contains(" error "), "\(serving.child.errorText)")
    }

    private func expectGoodRequestWorks(_ serving: ServingProcess) async throws {
        let daemon = Daemon(serving.caller)
        #expect(try await daemon.register("phone", token: "emulated:phone").status == 200)
        #expect(try await daemon.trigger(preview: "Still here.").body["sent"] == 1)
        let bodies = try await serving.inbox().map { $0["message"]?["notification"]?["body"] }
        #expect(bodies == ["Still here."])
    }
}
