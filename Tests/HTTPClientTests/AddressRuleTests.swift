import Cryptography
import HTTPClient
import IPAddresses
import Synchronization
import TestDoubles
import Testing

@Suite("Addresses that HTTPClient may connect to", .timeLimit(.minutes(10)))
struct AddressRuleTests {
    @Test("A refused address gets no connection, and the error names the reason")
    func refused() async throws {
        let server = try ScriptedServer.answering(.response())
        let client = HTTPClient.forTest {
            $0.refusal = { address, host in
                "\(host) is \(address == IPAddress("127.0.0.1") ? "this machine" : "elsewhere")"
            }
        }
        let error = await client.failure(of: HTTPClientRequest(url: server.url("/secret"), version: .http1))
        #expect(error?.kind == .addressRefused && error?.isUnprocessed == true)
        #expect(error?.message == "the server's address is refused: 127.0.0.1 is this machine")
        #expect(error?.host == "127.0.0.1:\(server.port)")
        #expect(server.connectionCount == 0)
    }

    @Test("A name is judged by its address at each connection, so a name that changes its answer gains nothing")
    func rebinding() async throws {
        let server = try ScriptedServer { connection in
            if connection.readRequest() != nil { connection.write(.response(fields: ["Connection: close"])) }
        }
        let isPublic = Mutex(true)
        let asked = Mutex<[String]>([])
        let client = HTTPClient.forTest {
            $0.refusal = { _, host in
                asked.withLock { $0.append(host) }
                return isPublic.withLock { $0 } ? nil : "changed"
            }
        }
        let request = HTTPClientRequest(url: "http://localhost:\(server.port)/", version: .http1)
        #expect(await client.failure(of: request) == nil)
        isPublic.withLock { $0 = false }
        #expect(await client.failure(of: request)?.message == "the server's address is refused: changed")
        #expect(server.connectionCount == 1)
        #expect(Set(asked.withLock { $0 }) == ["localhost"])
    }

    @Test("An allowed address is connected to, also after a refused one of the same name")
    func oneOfTwo() async throws {
        let server = try ScriptedServer.answering(.response())
        let client = HTTPClient.forTest {
            $0.refusal = { address, _ in address.bytes.count == 16 ? "IPv6" : nil }
        }
        let request = HTTPClientRequest(url: "http://localhost:\(server.port)/", version: .http1)
        #expect(await client.failure(of: request) == nil)
    }

    @Test("A failure at the allowed one of two addresses is no refusal")
    func failureBesideRefusal() async throws {
        // libcurl connects to both addresses of this name, if the machine has IPv6.
        let client = HTTPClient.forTest {
            $0.refusal = { address, _ in address.bytes.count == 16 ? "IPv6" : nil }
        }
        let url = "http://localhost:\(try unusedPort())/"
        let error = await client.failure(of: HTTPClientRequest(url: url, version: .http1))
        #expect(error?.kind == .couldNotConnect)
    }

    @Test("A host's substitute is connected to, and the request is for the host")
    func substitute() async throws {
        let hosts = Mutex<[String]>([])
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() {
                hosts.withLock { $0.append(request.value("host") ?? "") }
                connection.write(.response())
            }
        }
        let client = HTTPClient.forTest { $0.connectTo = ["push.example": "127.0.0.1:\(server.port)"] }
        #expect(await client.failure(of: HTTPClientRequest(url: "http://push.example/", version: .http1)) == nil)
        #expect(hosts.withLock { $0 } == ["push.example"])
    }

    @Test("Redirects are not followed")
    func redirects() async throws {
        let other = try ScriptedServer.answering(.response())
        let server = try ScriptedServer.answering(
            .response("307 Temporary Redirect", fields: ["Location: \(other.url())"]))
        let response = try await HTTPClient.forTest().execute(HTTPClientRequest(url: server.url(), version: .http1))
        #expect(response.statusCode == 307)
        #expect(other.connectionCount == 0)
    }

    @Test("Above the greatest number of connections, those that are idle for the longest time are closed")
    func maximumConnections() async throws {
        let ended = Mutex<[Int]>([])
        let servers = try (0..<3).map { index in
            try ScriptedServer { connection in
                while connection.readRequest() != nil { connection.write(.response()) }
                ended.withLock { $0.append(index) }
            }
        }
        let client = HTTPClient.forTest { $0.maximumConnections = 2 }
        for server in servers {
            #expect(await client.failure(of: HTTPClientRequest(url: server.url(), version: .http1)) == nil)
        }
        #expect(await eventually { ended.withLock { $0 } == [0] })
        #expect(await client.failure(of: HTTPClientRequest(url: servers[1].url(), version: .http1)) == nil)
        #expect(servers.map(\.connectionCount) == [1, 1, 1])
    }
}
