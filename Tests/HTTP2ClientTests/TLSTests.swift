import HTTP2Client
import NIOSSL
import TestDoubles
import Testing

@Suite("TLS of the HTTP/2 client", .timeLimit(.minutes(10)))
struct TLSTests {
    @Test(
        "The HTTP/2 client speaks TLS 1.2 and 1.3, and no older version",
        arguments: [TLSVersion.tlsv11, .tlsv12, .tlsv13])
    func versions(version: TLSVersion) async throws {
        let server = try await FrameServer(tls: {
            $0.minimumTLSVersion = version
            $0.maximumTLSVersion = version
        })
        let error = await server.client().failure(of: server.request())
        #expect(error?.kind == (version == .tlsv11 ? .tls : nil))
        #expect(error?.isUnprocessed ?? true)
        await server.stop()
    }

    @Test("A server that negotiates no protocol is used with HTTP/2")
    func noProtocol() async throws {
        let server = try await FrameServer(tls: { $0.applicationProtocols = [] })
        #expect(await server.client().failure(of: server.request()) == nil)
        await server.stop()
    }

    @Test(
        "A certificate for another name or address is refused, and nothing is sent",
        arguments: ["localhost", "127.0.0.1"])
    func otherName(host: String) async throws {
        let server = try await FrameServer(names: ["example.org"], addresses: ["127.0.0.2"])
        let error = await server.client().failure(of: server.request(host))
        #expect(error?.kind == .tls && error?.isUnprocessed == true)
        #expect(server.record.frames(.headers).isEmpty)
        await server.stop()
    }

    @Test("A certificate for the address is not enough for a request to a name")
    func addressAlone() async throws {
        let server = try await FrameServer(names: ["example.org"], addresses: ["127.0.0.1"])
        let error = await server.client().failure(of: server.request("localhost"))
        #expect(error?.kind == .tls && error?.isUnprocessed == true)
        #expect(server.record.frames(.headers).isEmpty)
        #expect(await server.client().failure(of: server.request("127.0.0.1")) == nil)
        await server.stop()
    }

    @Test(
        "A wildcard in a certificate stands for one label",
        arguments: [("a.example.org", true), ("example.org", false), ("a.b.example.org", false)])
    func wildcard(host: String, isTrusted: Bool) async throws {
        let server = try await FrameServer(names: ["*.example.org"], addresses: ["127.0.0.1"])
        let client = server.client { $0.connectTo[host] = server.request("127.0.0.1").headers.origin }
        #expect(await client.failure(of: server.request(host))?.kind == (isTrusted ? nil : .tls))
        await server.stop()
    }

    @Test("A server is not trusted with another certificate authority or a missing CA file")
    func otherAuthority() async throws {
        let (server, other) = (try await FrameServer(), try await FrameServer())
        for client in [other.client(), server.client { $0.caFile = "/nonexistent/ca.pem" }] {
            let error = await client.failure(of: server.request())
            #expect(error?.kind == .tls && error?.isUnprocessed == true)
        }
        #expect(server.record.frames(.headers).isEmpty)
        await server.stop()
        await other.stop()
    }

    @Test("A server is reached by its name, by IPv4 and by IPv6")
    func addresses() async throws {
        let ipv4 = try await FrameServer()
        #expect(await ipv4.client().failure(of: ipv4.request("localhost")) == nil)
        #expect(await ipv4.client().failure(of: ipv4.request()) == nil)
        let ipv6 = try await FrameServer(host: "::1")
        #expect(await ipv6.client().failure(of: ipv6.request()) == nil)
        await ipv4.stop()
        await ipv6.stop()
    }
}
