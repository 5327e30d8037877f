import APNsSimulator
import HTTP2Client
import TestDoubles
import Testing

/// Tests over sockets: a client, a proxy on loopback, and the simulator.
@Suite("Tunnel through a proxy", .timeLimit(.minutes(10)))
struct TunnelTests {
    private func bench(
        through url: String, except hosts: String = "", connectTimeout: Duration = .seconds(60)
    ) async throws -> PushBench {
        let rule = ProxyRule(try HTTPProxy(url), except: NoProxyList(hosts))
        return try await PushBench(client: {
            $0.proxy = rule
            $0.connectTimeout = connectTimeout
        })
    }

    @Test("A push through a proxy shows the proxy only host and port")
    func push() async throws {
        let proxy = try await TestProxy()
        let bench = try await bench(through: proxy.url)
        #expect(await bench.burst(50) == ["200": 50])
        let target = "127.0.0.1:\(bench.port)"
        #expect(proxy.heads == ["CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"])
        await bench.simulator.shutdown()
        await proxy.stop()
    }

    @Test("A proxy that needs credentials gets those of its URL")
    func credentials() async throws {
        let proxy = try await TestProxy(.wants(authorization: "Basic dXNlcjpwQHNz"))
        let bench = try await bench(through: "http://user:p%40ss@127.0.0.1:\(proxy.port)")
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        #expect(proxy.heads.count == 1)
        await bench.simulator.shutdown()
        await proxy.stop()
    }

    @Test("A server in the list of exceptions is connected to without the proxy")
    func exception() async throws {
        let proxy = try await TestProxy()
        let bench = try await bench(through: proxy.url, except: "localhost,127.0.0.0/8")
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        #expect(proxy.heads.isEmpty)
        await bench.simulator.shutdown()
        await proxy.stop()
    }

    @Test("The server's certificate is verified through the tunnel")
    func verification() async throws {
        let proxy = try await TestProxy()
        let bench = try await bench(through: proxy.url)
        let strict = HTTP2Client.forTest { $0.proxy = (try? HTTPProxy(proxy.url)).map { ProxyRule($0) } ?? .direct }
        let error = await strict.failure(of: bench.push(to: 1))
        #expect(error?.kind == .tls && error?.isUnprocessed == true)
        #expect(error?.message.contains("through the proxy \(proxy.url)") == true)
        #expect(bench.simulator.counters.requests == 0)
        await bench.simulator.shutdown()
        await proxy.stop()
    }

    @Test(
        "A proxy that opens no tunnel gives an error with its name, and the requests are unprocessed",
        arguments: [
            (
                .wants(authorization: "Basic b3RoZXI6b3RoZXI="),
                "does not take the user and password that it was given (407)"
            ),
            (.says("HTTP/1.1 403 Forbidden\r\n\r\nno"), "does not allow a tunnel to 127.0.0.1:"),
            (.says("HTTP/1.1 502 Bad Gateway\r\n\r\n"), "(502)"), (.says("HTTP/1.1 400 s3cret\r\n\r\n"), "(400)"),
            (.says("220 mail.example ESMTP\r\n\r\n"), "does not answer CONNECT as an HTTP proxy does"),
            (.hangsUp, "has closed the connection without an answer"), (.isSilent, "does not answer CONNECT"),
        ] as [(TestProxy.Behaviour, String)])
    func refusal(behaviour: TestProxy.Behaviour, words: String) async throws {
        let proxy = try await TestProxy(behaviour)
        let isSilent = if case .isSilent = behaviour { true } else { false }
        let bench = try await bench(
            through: "http://user:s3cret@127.0.0.1:\(proxy.port)", connectTimeout: isSilent ? .seconds(1) : .seconds(60)
        )
        let error = try #require(await bench.client.failure(of: bench.push(to: 1)))
        #expect(error.kind == .proxy && error.isUnprocessed && error.isWithoutConnection)
        #expect(error.message.hasPrefix("the proxy \(proxy.url) ") && error.message.contains(words), "\(error)")
        #expect(!"\(error)".contains("s3cret"))
        #expect(bench.simulator.counters.connectionsOpened == 0)
        await bench.simulator.shutdown()
        await proxy.stop()
    }

    @Test("A proxy that asks for credentials without configured ones is reported as such")
    func missingCredentials() async throws {
        let proxy = try await TestProxy(.wants(authorization: "Basic b3RoZXI6b3RoZXI="))
        let bench = try await bench(through: proxy.url)
        let error = await bench.client.failure(of: bench.push(to: 1))
        #expect(error?.message == "the proxy \(proxy.url) asks for a user and a password (407)")
        await bench.simulator.shutdown()
        await proxy.stop()
    }

    @Test("A proxy that is down fails all waiting requests at once, and is used again when it is back")
    func away() async throws {
        let proxy = try await TestProxy()
        let bench = try await bench(through: proxy.url)
        await proxy.stop()
        #expect(await bench.burst(50) == ["proxy": 50])
        let error = await bench.client.failure(of: bench.push(to: 1))
        #expect(error?.message.hasPrefix("the proxy \(proxy.url) cannot be reached: ") == true)
        let back = try await TestProxy(port: proxy.port)
        #expect(await bench.outcome(of: bench.push(to: 2)) == "200")
        await bench.simulator.shutdown()
        await back.stop()
    }
}
