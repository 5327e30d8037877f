import Dispatch
import HTTPTypes
import Synchronization
import TestDoubles
import Testing

@testable import HTTPClient

@Suite("Cancellation and shutdown of HTTPClient", .timeLimit(.minutes(10)))
struct LifeCycleTests {
    @Test("A cancelled task's request ends at once")
    func cancellation() async throws {
        let server = try ScriptedServer.silent()
        let client = HTTPClient.forTest()
        let task = Task { await client.failure(of: HTTPClientRequest(url: server.url(), version: .http1)) }
        #expect(await eventually { server.connectionCount == 1 })
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        #expect(client.statistics.inFlight == 0)
        #expect(client.statistics.failures == [.cancelled: 1])
    }

    @Test("A request cancelled before it got a connection is unprocessed")
    func cancellationWhileWaiting() async throws {
        let server = try ScriptedServer.silent()
        let client = HTTPClient.forTest { $0.maximumConnectionsPerHost = 1 }
        let request = HTTPClientRequest(url: server.url(), version: .http1)
        let first = Task { await client.failure(of: request) }
        #expect(await eventually { server.connectionCount == 1 })
        let second = Task { await client.failure(of: request) }
        #expect(await eventually { client.statistics.inFlight == 2 })
        second.cancel()
        let error = await second.value
        #expect(error?.kind == .cancelled)
        #expect(error?.isUnprocessed == true)
        first.cancel()
        _ = await first.value
        #expect(server.connectionCount == 1)
    }

    @Test("Requests that match are cancelled, on a connection or before, and no others")
    func cancellationOfMatches() async throws {
        let server = try ScriptedServer.silent()
        let client = HTTPClient.forTest { $0.maximumConnectionsPerHost = 1 }
        func task(_ body: [UInt8]) -> Task<HTTPClientError?, Never> {
            let request = HTTPClientRequest(method: .post, url: server.url(), body: body, version: .http1)
            return Task { await client.failure(of: request) }
        }
        let first = task([1])
        #expect(await eventually { server.connectionCount == 1 })
        let (second, third) = (task([1]), task([2]))
        #expect(await eventually { client.statistics.inFlight == 3 })
        client.cancel { $0.body == [1] }
        #expect(await first.value?.kind == .cancelled)
        #expect(await second.value?.kind == .cancelled)
        #expect(client.statistics.inFlight == 1)
        third.cancel()
        _ = await third.value
    }

    @Test("A task that is already cancelled gets an error at once")
    func cancelledBefore() async throws {
        let server = try ScriptedServer.silent()
        let client = HTTPClient.forTest()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await client.failure(of: HTTPClientRequest(url: server.url(), version: .http1))
        }
        #expect(await task.value?.kind == .cancelled)
    }

    @Test("A cancelled request frees its connection for the next request")
    func cancellationFreesThePlace() async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() {
                if !request.line.contains("silence") { connection.write(.response()) }
            }
        }
        let client = HTTPClient.forTest { $0.maximumConnectionsPerHost = 1 }
        let id = client.execute(HTTPClientRequest(url: server.url("/silence"), version: .http1)) { _ in }
        #expect(await eventually { server.connectionCount == 1 })
        client.cancel(id)
        #expect(try await client.execute(HTTPClientRequest(url: server.url(), version: .http1)).statusCode == 200)
    }

    @Test("A cancellation after the end of a request has no effect")
    func lateCancellation() async throws {
        let server = try ScriptedServer.answering(.response())
        let client = HTTPClient.forTest()
        let results = Results()
        let id = client.execute(HTTPClientRequest(url: server.url(), version: .http1)) { results.append($0) }
        #expect(await eventually { results.count == 1 })
        client.cancel(id)
        #expect(try await client.execute(HTTPClientRequest(url: server.url(), version: .http1)).statusCode == 200)
        #expect(results.count == 1)
    }

    @Test("A shutdown waits for requests in flight, and refuses new ones")
    func gracefulShutdown() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            gate.wait()
            connection.write(.response())
        }
        let client = HTTPClient.forTest()
        let request = HTTPClientRequest(url: server.url(), version: .http1)
        let inFlight = Task { try await client.execute(request).statusCode }
        #expect(await eventually { server.connectionCount == 1 })
        let shutdown = Task { await client.shutdown(within: .patience) }
        var refusal = HTTPClientError?.none
        while refusal == nil { refusal = await probe(client) }
        #expect(refusal?.kind == .closed)
        #expect(refusal?.isUnprocessed == true)
        gate.signal()
        #expect(try await inFlight.value == 200)
        await shutdown.value
    }

    /// Returns the error of a request that no server answers; from the start of the shutdown it is refused.
    private func probe(_ client: HTTPClient) async -> HTTPClientError? {
        let error = await client.failure(of: HTTPClientRequest(url: "http://127.0.0.1:1/", version: .http1))
        return error?.kind == .couldNotConnect ? nil : error
    }

    @Test("A shutdown ends requests that exceed its time limit")
    func boundedShutdown() async throws {
        let server = try ScriptedServer.silent()
        let client = HTTPClient.forTest { $0.maximumConnectionsPerHost = 1 }
        let request = HTTPClientRequest(url: server.url(), version: .http1)
        let tasks = (0..<3).map { _ in Task { await client.failure(of: request) } }
        #expect(
            await eventually { client.statistics.inFlight == 3 && server.connectionCount == 1 })
        await client.shutdown(within: .milliseconds(100))
        var unprocessed = 0
        for task in tasks {
            let error = await task.value
            #expect(error?.kind == .closed)
            if error?.isUnprocessed == true { unprocessed += 1 }
        }
        #expect(unprocessed >= 2)
        #expect(client.statistics.inFlight == 0)
    }

    @Test("A shutdown may be repeated, and started by several tasks at once")
    func idempotentShutdown() async {
        let client = HTTPClient.forTest()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await client.shutdown() } }
        }
        await client.shutdown()
        let error = await client.failure(of: HTTPClientRequest(url: "http://127.0.0.1:1/"))
        #expect(error?.kind == .closed)
    }

    @Test("A client that is released fails its unfinished requests")
    func lettingGo() async throws {
        let server = try ScriptedServer.silent()
        let results = Results()
        do {
            let client = HTTPClient.forTest()
            client.execute(HTTPClientRequest(url: server.url(), version: .http1)) { results.append($0) }
        }
        #expect(await eventually { results.count == 1 })
        #expect(results.kinds == [.closed])
    }
}

/// The results that completions received.
private final class Results: Sendable {
    private let values = Mutex<[Result<HTTPClientResponse, HTTPClientError>]>([])
    var count: Int { values.withLock { $0.count } }
    var kinds: [HTTPClientError.Kind?] {
        values.withLock { results in
            results.map { result in
                if case .failure(let error) = result { error.kind } else { nil }
            }
        }
    }
    func append(_ result: Result<HTTPClientResponse, HTTPClientError>) { values.withLock { $0.append(result) } }
}
