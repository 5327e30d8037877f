import HTTPTypes
import Synchronization
import TestDoubles
import Testing

@testable import HTTPClient

@Suite("HTTPClient under load", .timeLimit(.minutes(10)))
struct LoadTests {
    @Test("5,000 concurrent requests each get their own answer")
    func fiveThousand() async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() { connection.write(.response(body: request.body)) }
        }
        let client = HTTPClient.forTest { $0.maximumConnectionsPerHost = 16 }
        let right = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<5_000 {
                group.addTask {
                    let response = try await client.execute(
                        HTTPClientRequest(
                            method: .post, url: server.url("/\(number)"), body: Array("\(number)".utf8),
                            deadline: .seconds(100), version: .http1))
                    return String(decoding: response.body, as: UTF8.self) == "\(number)"
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(right == 5_000)
        #expect(server.connectionCount == 16)
        #expect(client.statistics.answered == 5_000)
        #expect(client.statistics.inFlight == 0)
    }

    @Test("Each completion is called once, even if half of the requests are cancelled in flight")
    func cancellationsUnderLoad() async throws {
        let server = try ScriptedServer.answering(.response())
        let client = HTTPClient.forTest()
        let calls = CallsByNumber()
        for number in 0..<1_000 {
            let id = client.execute(HTTPClientRequest(url: server.url(), deadline: .seconds(50), version: .http1)) {
                _ in
                calls.count(number)
            }
            if number.isMultiple(of: 2) { client.cancel(id) }
        }
        #expect(await eventually { calls.total >= 1_000 })
        await client.shutdown()
        #expect(calls.total == 1_000)
        #expect(calls.most == 1)
        #expect(client.statistics.inFlight == 0)
    }
}

/// A count of calls for each number.
private final class CallsByNumber: Sendable {
    private let counts = Mutex<[Int: Int]>([:])
    var total: Int { counts.withLock { $0.values.reduce(0, +) } }
    var most: Int { counts.withLock { $0.values.max() ?? 0 } }
    func count(_ number: Int) { counts.withLock { $0[number, default: 0] += 1 } }
}
