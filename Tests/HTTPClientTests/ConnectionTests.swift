import Dispatch
import HTTPClient
import HTTPTypes
import Synchronization
import TestDoubles
import Testing

@Suite("Connections of HTTPClient", .timeLimit(.minutes(10)))
struct ConnectionTests {
    /// Returns a server that answers with the connection's number.
    private func numbering() throws -> ScriptedServer {
        try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.write(.response(body: "\(connection.number)")) }
        }
    }

    @Test("Sequential requests share a connection")
    func reuse() async throws {
        let server = try numbering()
        let client = HTTPClient.forTest()
        var opened: [Int] = []
        for _ in 0..<5 {
            opened.append(
                try await client.execute(HTTPClientRequest(url: server.url(), version: .http1)).connectionsOpened)
        }
        #expect(opened == [1, 0, 0, 0, 0])
        #expect(server.connectionCount == 1)
        #expect(client.statistics.connectionsOpened == 1)
    }

    @Test("After a renewal no request begins on a connection that was open, and those in progress end there")
    func renewal() async throws {
        let gate = DispatchSemaphore(value: 0)
        let isWaiting = Mutex(false)
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() {
                if request.line.contains("slow") {
                    isWaiting.withLock { $0 = true }
                    gate.wait()
                }
                connection.write(.response(body: "\(connection.number)"))
            }
        }
        let client = HTTPClient.forTest()
        @Sendable func body(_ path: String) async throws -> String {
            let response = try await client.execute(HTTPClientRequest(url: server.url(path), version: .http1))
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(try await body("/") == "1")
        async let slow = body("/slow")
        #expect(await eventually { isWaiting.withLock { $0 } })
        client.renewConnections()
        #expect(try await body("/") == "2")
        gate.signal()
        #expect(try await slow == "1")
        #expect(try await body("/") == "2")
        client.renewConnections()
        #expect(try await body("/") == "3")
        #expect(server.connectionCount == 3)
    }

    @Test("Concurrent requests open no more connections than allowed")
    func limit() async throws {
        let server = try numbering()
        let client = HTTPClient.forTest { $0.maximumConnectionsPerHost = 3 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask { _ = try await client.execute(HTTPClientRequest(url: server.url(), version: .http1)) }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount == 3)
    }

    @Test("A silent host does not delay requests to another host")
    func hostsAreIndependent() async throws {
        let silent = try ScriptedServer.silent()
        let lively = try numbering()
        let client = HTTPClient.forTest { $0.maximumConnectionsPerHost = 1 }
        async let stuck = client.failure(
            of: HTTPClientRequest(url: silent.url(), deadline: .milliseconds(500), version: .http1))
        for _ in 0..<10 {
            _ = try await client.execute(HTTPClientRequest(url: lively.url(), deadline: .patience, version: .http1))
        }
        #expect(await stuck?.kind == .timedOut)
    }

    @Test("A request that times out while it waits for a connection is unprocessed")
    func deadlineWhileWaiting() async throws {
        let silent = try ScriptedServer.silent()
        let client = HTTPClient.forTest { $0.maximumConnectionsPerHost = 1 }
        async let first = client.failure(
            of: HTTPClientRequest(url: silent.url(), deadline: .seconds(2), version: .http1))
        #expect(await eventually { silent.connectionCount == 1 })
        let second = await client.failure(
            of: HTTPClientRequest(url: silent.url(), deadline: .milliseconds(100), version: .http1))
        #expect(second?.kind == .timedOut)
        #expect(second?.isUnprocessed == true)
        #expect(second?.curlCode == nil)
        #expect(await first?.kind == .timedOut)
        #expect(silent.connectionCount == 1)
    }

    @Test("A connection that became silent is replaced by a new one")
    func silentConnection() async throws {
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(.response())
            while connection.readRequest() != nil {
                if connection.number > 1 { connection.write(.response()) }
            }
        }
        let client = HTTPClient.forTest()
        func request(deadline: Duration) -> HTTPClientRequest {
            HTTPClientRequest(url: server.url(), deadline: deadline, version: .http1)
        }
        let patient = request(deadline: .seconds(30))
        #expect(try await client.execute(patient).statusCode == 200)
        #expect(await client.failure(of: request(deadline: .milliseconds(200)))?.kind == .timedOut)
        #expect(try await client.execute(patient).connectionsOpened == 1)
        #expect(try await client.execute(patient).connectionsOpened == 0)
    }

    @Test("A connection that the server closed while idle is replaced without a failure")
    func closedWhileIdle() async throws {
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(.response())
        }
        let client = HTTPClient.forTest()
        for _ in 0..<5 {
            let response = try await client.execute(
                HTTPClientRequest(method: .post, url: server.url(), body: [1, 2, 3], version: .http1))
            #expect(response.connectionsOpened >= 1)
        }
        #expect(client.statistics.failures.isEmpty)
    }
}
