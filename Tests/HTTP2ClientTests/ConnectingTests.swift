import HTTP2Client
import IPAddresses
import NIOSSL
import Synchronization
import TestDoubles
import Testing

@Suite("Connecting to another address, and refusing one", .timeLimit(.minutes(10)))
struct ConnectingTests {
    @Test("A host's substitute is connected to, with TLS and the request for the host")
    func substitute() async throws {
        let server = try await FrameServer(names: ["push.example"], addresses: [])
        let port = server.request().headers.origin.port
        let client = server.client { $0.connectTo = ["push.example": HTTP2Origin(host: "127.0.0.1", port: port)] }
        let request = HTTP2Request(
            PreparedHeaders(origin: HTTP2Origin(host: "push.example"), []), path: "/", deadline: .seconds(60))
        #expect(await client.failure(of: request) == nil)
        #expect(server.record.frames(.headers).count == 1)
        await server.stop()
    }

    @Test("An address that is refused is closed before a byte is sent, and the reason is named")
    func refused() async throws {
        let server = try await FrameServer()
        let asked = Mutex<[String]>([])
        let client = server.client {
            $0.refusalOnceConnected = { address, host in
                asked.withLock { $0.append("\(host) \(address == IPAddress("127.0.0.1"))") }
                return "this machine"
            }
        }
        let error = await client.failure(of: server.request("localhost"))
        #expect(error?.kind == .couldNotConnect && error?.isUnprocessed == true)
        #expect(error?.message == "the server's address is refused: this machine")
        #expect(asked.withLock { $0 } == ["localhost true"])
        #expect(server.record.frames(.headers).isEmpty && server.record.frames(.settings).isEmpty)
        await server.stop()
    }

    @Test("An address that is not refused is used, and the rule is asked about a substitute too")
    func allowed() async throws {
        let server = try await FrameServer()
        let port = server.request().headers.origin.port
        let client = server.client { $0.refusalOnceConnected = { _, _ in nil } }
        #expect(await client.failure(of: server.request()) == nil)
        let other = server.client {
            $0.refusalOnceConnected = { _, host in host == "localhost" ? "never" : nil }
            $0.connectTo = ["localhost": HTTP2Origin(host: "127.0.0.1", port: port)]
        }
        #expect(await other.failure(of: server.request("localhost"))?.kind == .couldNotConnect)
        #expect(await other.failure(of: server.request()) == nil)
        await server.stop()
    }

    @Test(
        "A server without HTTP/2 is reported as such, if that is asked for",
        arguments: [["http/1.1"], []])
    func otherVersions(protocols: [String]) async throws {
        let server = try await FrameServer(tls: { $0.applicationProtocols = protocols })
        let error = await server.client { $0.detectsOtherVersions = true }.failure(of: server.request())
        #expect(error?.kind == .noHTTP2 && error?.isUnprocessed == true && error?.isWithoutConnection == false)
        #expect(server.record.frames(.headers).isEmpty)
        await server.stop()
    }

    @Test("A server with HTTP/2 and HTTP/1.1 is used with HTTP/2")
    func bothVersions() async throws {
        let server = try await FrameServer(tls: { $0.applicationProtocols = ["h2", "http/1.1"] })
        #expect(await server.client { $0.detectsOtherVersions = true }.failure(of: server.request()) == nil)
        await server.stop()
    }
}
