import Emulator
import Foundation
import Gateway
import HTTPClient
import HTTPTypes
import Instance
import JSON
import Messaging
import Secrets
import TestDoubles
import TestSupport
import Testing

@Suite("TLS listener", .timeLimit(.minutes(10)))
struct TLSListenerTests {
    /// Connects to a loopback address that the certificate does not contain, so that only the name counts.
    private func open(as name: String, _ addresses: FCMAddresses) async throws -> TLSConnection {
        try await TLSConnection.open("127.0.0.2", port: addresses.tlsPort, trusting: addresses.caFile, name: name)
    }

    #if os(Linux)
        @Test("The TLS listener is trusted as each of Google's hosts and as localhost with ca.pem, and as no other")
        func names() async throws {
            try await withFCMAddresses(["http.host": "0.0.0.0"]) { _, addresses in
                for name in [
                    "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com",
                    "oauth2.googleapis.com", "www.googleapis.com", "localhost",
                ] {
                    let connection = try await open(as: name, addresses)
                    #expect(try await connection.exchange(TLSConnection.healthRequest).status == 200)
                    try await connection.close()
                }
                for name in ["accounts.google.com", "googleapis.com", "example.com"] {
                    await #expect(throws: (any Error).self) { try await open(as: name, addresses) }
                }
            }
        }
    #endif

    @Test("A client with another authority does not trust the TLS listener, and the failed handshake is logged")
    func untrusted() async throws {
        let log = CollectedLog()
        try await withFCMAddresses(log: log) { _, addresses in
            try await withGateway(FCMAddresses.settings) { other in
                let otherFile = try await FCMAddresses(other).caFile
                await #expect(throws: (any Error).self) {
                    try await TLSConnection.open(port: addresses.tlsPort, trusting: otherFile)
                }
            }
            let client = HTTPClient(logger: CollectedLog().logger)
            await #expect(throws: HTTPClientError.self) {
                try await client.execute(HTTPClientRequest(url: addresses.tls + "/healthz"))
            }
            #expect(await eventually { log.lines.count { $0.contains("failed to complete a TLS handshake") } == 2 })
        }
    }

    @Test(
        "The TLS listener speaks HTTP/2 or HTTP/1.1, as the client offers",
        arguments: [
            (["h2", "http/1.1"], "h2"), (["h2"], "h2"), (["http/1.1"], "http/1.1"), ([], nil),
            (["http/1.0", "http/1.1"], "http/1.1"),
        ])
    func negotiation(offered: [String], agreed: String?) async throws {
        try await withFCMAddresses { _, addresses in
            let connection = try await TLSConnection.open(
                port: addresses.tlsPort, trusting: addresses.caFile, protocols: offered)
            #expect(connection.negotiatedProtocol == agreed)
            if agreed != "h2" { #expect(try await connection.exchange(TLSConnection.healthRequest).status == 200) }
            try await connection.close()
        }
    }

    @Test(
        "The TLS listener gives the same answers as the plain listener, over both versions",
        arguments: [HTTPClientRequest.Version.http2, .http1])
    func routes(version: HTTPClientRequest.Version) async throws {
        try await withFCMAddresses { gateway, addresses in
            let secret = String.randomSecret()
            try await Daemon(gateway.caller, secret: secret).register("phone", token: "emulated:phone")
            let answer = try await addresses.answer(
                to: HTTPClientRequest(
                    method: .post, url: addresses.tls + "/triggerReplyFinished",
                    headerFields: [.authorization: "Bearer \(secret)", .contentType: "application/json"],
                    body: Array(#"{"cwd":"/srv/app","message_preview":"Over TLS."}"#.utf8), version: version))
            #expect(answer.statusCode == 200)
            #expect(answer.version == (version == .http2 ? .http2 : .http1))
            #expect(gateway.gateway.inbox.items().map(\.message.notification?.body) == ["Over TLS."])
            let head = try await addresses.answer(
                to: HTTPClientRequest(method: .head, url: addresses.tls + "/registerSubscription", version: version))
            #expect(head.statusCode == 405 && head.body.isEmpty)
        }
    }

    @Test(
        "Links to tasks start with https at the TLS listener, over both versions",
        arguments: [HTTPClientRequest.Version.http2, .http1])
    func links(version: HTTPClientRequest.Version) async throws {
        try await withFCMAddresses(["functions.humantasks.enabled": "true"]) { _, addresses in
            func post(_ path: String, _ body: JSONValue, key: String = "") async throws -> JSONValue {
                let answer = try await addresses.answer(
                    to: HTTPClientRequest(
                        method: .post, url: addresses.tls + path,
                        headerFields: [.authorization: "Bearer \(key)", .contentType: "application/json"],
                        body: body.serialized, version: version))
                return try JSONValue(parsing: answer.body)
            }
            let phone = try await post("/api/devices/register", ["name": "Matt's iPhone"])
            let key = try #require(phone["mcp_token"]?.string)
            let task = try await post(
                "/api/hits", ["recipient_name": "Sarah", "task_description": "The living room"], key: key)
            let url = try #require(task["url"]?.string)
            #expect(url.hasPrefix(addresses.tls + "/hit/"), "\(url)")
        }
    }

    @Test("A TLS connection stays open if the client resets each answered stream, as libcurl 7.88 does")
    func resets() async throws {
        try await withFCMAddresses { _, addresses in
            var configuration = HTTPClient.Configuration()
            configuration.caFile = addresses.caFile
            configuration.maximumConnectionsPerHost = 1
            let client = HTTPClient(configuration: configuration, logger: CollectedLog().logger)
            for _ in 0..<500 {
                let answer = try await client.execute(HTTPClientRequest(url: addresses.tls + "/healthz"))
                #expect(answer.statusCode == 200)
            }
            #expect(client.statistics.connectionsOpened == 1)
            await client.shutdown(within: .zero)
        }
    }

    @Test("A TLS connection without a handshake is closed after the request timeout")
    func silent() async throws {
        try await withFCMAddresses(["http.requestTimeout": "300ms"]) { _, addresses in
            let outcome = await RawExchange([]).run(port: UInt16(addresses.tlsPort))
            #expect(outcome.ending == .closed)
        }
    }

    /// The request timeout also limits the handshake, which is slow on a busy machine. So this test keeps the default.
    @Test("A TLS connection with an incomplete request is closed after the request timeout")
    func stalled() async throws {
        try await withFCMAddresses { _, addresses in
            let connection = try await TLSConnection.open(port: addresses.tlsPort, trusting: addresses.caFile)
            try await connection.send(Array("POST /registerSubscription HTTP/1.1\r\nHo".utf8))
            try await connection.closed()
        }
    }

    @Test("An HTTP/2 request whose body does not arrive is answered, and the connection goes on")
    func stalledStream() async throws {
        try await withFCMAddresses { _, addresses in
            let connection = try await TLSConnection.open(
                port: addresses.tlsPort, trusting: addresses.caFile, protocols: ["h2"])
            let secret = [("authorization", "Bearer \(String.randomSecret())")]
            try await connection.send(
                HTTP2Frames.preface + HTTP2Frames.request("POST", "/registerSubscription", on: 1, more: secret))
            #expect(try await connection.receive { HTTP2Frames.takeStatus(of: 1, from: &$0) } == 400)
            try await connection.send(HTTP2Frames.request("GET", "/healthz", on: 3, isWhole: true))
            #expect(try await connection.receive { HTTP2Frames.takeStatus(of: 3, from: &$0) } == 200)
            try await connection.close()
        }
    }

    /// All requests wait for a minute, and the one on stream 1 is the first to begin and is not cancelled: its answer
    /// comes first if the others wait to their ends. An HTTP/2 connection may have 100 requests of closed streams, so
    /// the last one is not answered before some of them have ended.
    @Test("Work on requests that their client cancelled ends")
    func takenBack() async throws {
        try await withFCMAddresses { gateway, addresses in
            let connection = try await TLSConnection.open(
                port: addresses.tlsPort, trusting: addresses.caFile, protocols: ["h2"])
            let token = [("authorization", "Bearer \(gateway.gateway.adminToken.value)")]
            func wait(on stream: UInt32) -> [UInt8] {
                HTTP2Frames.request(
                    "GET", "/emulator/v1/inbox?wait_for=9&timeout=60", on: stream, more: token, isWhole: true)
            }
            try await connection.send(HTTP2Frames.preface + wait(on: 1))
            for round in UInt32(0)..<3 {
                let streams = (0..<50).map { 200 * round + 2 * $0 + 3 }
                let waiting = streams.flatMap { wait(on: $0) }
                let health = 200 * round + 103
                try await connection.send(
                    waiting + HTTP2Frames.request("GET", "/healthz", on: health, isWhole: true))
                #expect(try await connection.receive { HTTP2Frames.takeStatus(of: health, from: &$0) } == 200)
                try await connection.send(streams.flatMap { HTTP2Frames.reset($0) })
            }
            try await connection.send(HTTP2Frames.request("GET", "/healthz", on: 603, isWhole: true))
            let answered = try await connection.receive { bytes in
                HTTP2Frames.take(from: &bytes) { frame in
                    frame.type == .headers && [1, 603].contains(frame.stream) ? frame.stream : nil
                }
            }
            #expect(answered == 603)
            #expect(!gateway.log.lines.contains { $0.contains("unexpected error") })
            try await connection.close()
        }
    }

    @Test("Connections of the TLS listener are closed when the gateway stops", arguments: [["h2"], ["http/1.1"]])
    func stopping(protocols: [String]) async throws {
        var connection: TLSConnection?
        try await withFCMAddresses { _, addresses in
            connection = try await TLSConnection.open(
                port: addresses.tlsPort, trusting: addresses.caFile, protocols: protocols)
        }
        try await connection?.closed()
    }

    @Test("Without a configuration there is no TLS listener and no certificate authority")
    func off() async throws {
        try await withGateway { gateway in
            let addresses = await gateway.gateway.listening()
            #expect(addresses?.http == gateway.url)
            #expect(addresses?.tls == nil && addresses?.proxy == nil)
            let names = try FileManager.default.contentsOfDirectory(atPath: gateway.directory)
            #expect(!names.contains { $0.hasPrefix("ca.") })
        }
    }

    @Test("A TLS or proxy port that is taken stops the start, and the error names its key")
    func portTaken() async throws {
        try await withFCMAddresses { _, addresses in
            for (key, port) in [("fcm.tls.port", addresses.tlsPort), ("fcm.proxy.port", addresses.proxyPort)] {
                let error = await #expect(throws: GatewayError.self) {
                    try await withGateway([key: String(port)]) { gateway in
                        #expect(await gateway.gateway.listening() == nil)
                    }
                }
                #expect(error?.description.contains("port \(port) on 127.0.0.1 is in use") == true)
                #expect(error?.description.contains("set \(key) ") == true)
            }
        }
    }
}
