import Cryptography
import Foundation
import Settings
import TestSupport
import Testing

@testable import Gateway

@Suite("The HTTPS port", .timeLimit(.minutes(10)))
struct HTTPSTests {
    private static let name = TLSFiles.name

    /// A gateway with an HTTPS port and a port that leads to it.
    private struct Ports {
        let gateway: RunningGateway
        let https: Int
        let redirect: Int
        let caFile: String

        func open(_ protocols: [String] = ["http/1.1"]) async throws -> TLSConnection {
            try await TLSConnection.open(port: https, trusting: caFile, name: HTTPSTests.name, protocols: protocols)
        }

        /// Sends a request to the port that leads to HTTPS.
        func redirected(_ method: String, _ target: String, host: String) async throws -> RawAnswer {
            let connection = try await TLSConnection.openPlain(port: redirect)
            let answer = try await connection.exchange(
                "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            try? await connection.close()
            return answer
        }
    }

    private func withPorts(_ body: (Ports) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let files = try TLSFiles(in: directory)
            try await withGateway(files.settings) { gateway in
                let addresses = try #require(await gateway.gateway.listening())
                let ports = [addresses.https, addresses.redirect].map { url in
                    url?.split(separator: ":").last.flatMap { Int($0) } ?? 0
                }
                #expect(addresses.https == "https://\(Self.name):\(ports[0])")
                try await body(Ports(gateway: gateway, https: ports[0], redirect: ports[1], caFile: files.caFile))
            }
        }
    }

    @Test("It speaks HTTP/1.1 and HTTP/2, with the same routes and all but Google's names")
    func protocols() async throws {
        try await withPorts { ports in
            let connection = try await ports.open()
            let answer = try await connection.exchange("GET /healthz HTTP/1.1\r\nHost: \(Self.name)\r\n\r\n")
            #expect(answer.status == 200)
            try await connection.close()
            let http2 = try await ports.open(["h2"])
            try await http2.send(
                HTTP2Frames.preface
                    + HTTP2Frames.request("GET", "/healthz", on: 1, authority: Self.name, isWhole: true))
            #expect(try await http2.receive { HTTP2Frames.takeStatus(of: 1, from: &$0) } == 200)
            try await http2.close()
        }
    }

    @Test("An endpoint without credentials accepts the certificate's names, and no others")
    func ownNames() async throws {
        try await withPorts { ports in
            for (host, status) in [(Self.name, 200), ("\(Self.name):\(ports.https)", 200), ("rebound.example", 403)] {
                let connection = try await ports.open()
                let body = #"{"message":{"topic":"news","notification":{"title":"t"}}}"#
                let answer = try await connection.exchange(
                    """
                    POST /v1/projects/demo/messages:send HTTP/1.1\r
                    Host: \(host)\r
                    Content-Type: application/json\r
                    Content-Length: \(body.utf8.count)\r
                    \r
                    \(body)
                    """)
                #expect(answer.status == status, "\(host)")
                try await connection.close()
            }
        }
    }

    @Test("The other port leads a browser to HTTPS, and refuses all else with the reason")
    func redirect() async throws {
        try await withPorts { ports in
            for method in ["GET", "HEAD"] {
                let answer = try await ports.redirected(method, "/a%20b?c=%2F", host: Self.name)
                #expect(answer.status == 308)
                #expect(answer.headers["location"] == "https://\(Self.name):\(ports.https)/a%20b?c=%2F")
            }
            let whole = try await ports.redirected("GET", "http://\(Self.name)/a", host: Self.name)
            #expect(whole.headers["location"] == "https://\(Self.name):\(ports.https)/a")
            let odd = try await ports.redirected("GET", "@evil.example", host: Self.name)
            #expect(odd.headers["location"].map { $0.hasSuffix(":\(ports.https)/") } ?? (odd.status == 400))
            let refused = try await ports.redirected("POST", "/registerSubscription", host: Self.name)
            #expect(refused.status == 403 && refused.text.contains("send this to https://\(Self.name):\(ports.https)"))
            let stranger = try await ports.redirected("GET", "/", host: "evil.example")
            #expect(stranger.status == 421 && stranger.headers["location"] == nil)
        }
    }

    @Test("Settings without a certificate, and certificates without keys, stop the start")
    func mistakes() async throws {
        for (flags, key) in [
            (["http.tls.port": "8443"], "http.tls.port"), (["http.redirectPort": "80"], "http.redirectPort"),
            (["http.tls.certificate": "a.pem"], "http.tls.key"), (["http.tls.key": "a.key"], "http.tls.certificate"),
            (["http.tls.certificate": "a,b", "http.tls.key": "a"], "http.tls.key"),
            (["http.tls.certificate": "a", "http.tls.key": "a", "http.tls.host": "[::]"], "http.tls.host"),
        ] {
            let error = await #expect(throws: ConfigurationError.self) {
                try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil)
            }
            #expect(error?.key == key)
        }
    }
}
