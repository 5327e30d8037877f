import Cryptography
import Foundation
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Kill of the push service for browsers", .timeLimit(.minutes(10)))
struct PushServiceKillTests {
    /// The body of RFC 8291's example (§5).
    private static let body =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
        + "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

    /// Sends a message to the only subscription, and returns the message's id.
    private func push(_ service: PushServiceProcess, timeToLive: Int, topic: String? = nil) async throws -> String {
        let all = try await service.control(.get, "/subscriptions")
        let endpoint = try #require(all["subscriptions"]?[0]?["endpoint"]?.string)
        var fields: HTTPFields = [.contentEncoding: "aes128gcm"]
        if let name = HTTPField.Name("ttl") { fields[name] = String(timeToLive) }
        if let name = HTTPField.Name("topic") { fields[name] = topic }
        let answer = try await service.client.execute(
            HTTPClientRequest(
                method: .post, url: endpoint, headerFields: fields, body: try #require(Base64URL.decode(Self.body)),
                deadline: .patience))
        #expect(answer.statusCode == 201)
        return String(try #require(answer.headerFields[.location]?.split(separator: "/").last))
    }

    /// Subscribes a browser, and returns its id when it has gone.
    private func subscribe(at service: PushServiceProcess) async throws -> String {
        let firefox = try await FirefoxConnection.open(to: service)
        let id = try #require(try await firefox.hello(nil))
        try await firefox.send(["messageType": "register", "channelID": "c1"])
        #expect(try await firefox.next()["status"] == 200)
        try await firefox.connection.close()
        try await eventually("the browser has gone") {
            try await service.control(.get, "/browsers")["browsers"]?[0]?["connected"] == false
        }
        return id
    }

    @Test("What a killed service has accepted arrives after its next start, except what has expired or is replaced")
    func kill() async throws {
        try await withTemporaryDirectory { folder in
            let options = ["--data-directory", folder + "/service"]
            let (browser, kept, accepted) = try await PushServiceProcess.running(options) { service in
                let browser = try await subscribe(at: service)
                let kept = try await push(service, timeToLive: 3_600)
                _ = try await push(service, timeToLive: 3_600, topic: "progress")
                _ = try await push(service, timeToLive: 1)
                let accepted = ContinuousClock.now
                service.child.send(signal: SIGKILL)
                #expect(try await service.child.finish().isSignalled)
                return (browser, kept, accepted)
            }
            try await PushServiceProcess.running(options) { service in
                let newest = try await push(service, timeToLive: 3_600, topic: "progress")
                try await eventually("the shortest lifetime has ended") {
                    ContinuousClock.now - accepted > .milliseconds(1_100)
                }
                let firefox = try await FirefoxConnection.open(to: service)
                #expect(try await firefox.hello(browser) == browser)
                for id in [kept, newest] {
                    let notification = try await firefox.next()
                    #expect(notification["version"]?.string == id && notification["channelID"] == "c1")
                    #expect(notification["data"]?.string == Self.body)
                    let update: JSONValue = ["version": .string(id), "code": 100]
                    try await firefox.send(["messageType": "ack", "updates": [update]])
                }
                // The answer to a ping is the next text: there is no other message.
                try await firefox.send([:])
                #expect(try await firefox.next() == [:])
                let shown = try await service.control(.get, "/notifications?delivery=acknowledged&wait_for=1")
                #expect(shown["notifications"]?[0]?["message_id"]?.string == newest)
                try await firefox.connection.close()
            }
        }
    }
}

/// Firefox's connection to its push service: a WebSocket (RFC 6455) with texts of JSON.
private struct FirefoxConnection: Sendable {
    let connection: TLSConnection

    static func open(to service: PushServiceProcess) async throws -> FirefoxConnection {
        let address = try #require(service.addresses["firefox"]?.string)
        let connection = try await TLSConnection.openPlain(port: try #require(URL(string: address)?.port))
        let upgraded = try await connection.exchange(
            """
            GET / HTTP/1.1\r
            Host: 127.0.0.1\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Protocol: push-notification\r
            \r

            """)
        #expect(upgraded.status == 101)
        return FirefoxConnection(connection: connection)
    }

    /// Sends a text of at most 125 bytes, in a frame with a mask of zeros.
    func send(_ json: JSONValue) async throws {
        let text = json.serialized
        try await connection.send([0x81, 0x80 | UInt8(text.count), 0, 0, 0, 0] + text)
    }

    /// Returns the next text.
    func next() async throws -> JSONValue {
        let text: String = try await connection.receive { bytes in
            guard bytes.count >= 4 else { return nil }
            let isLong = bytes[1] == 126
            let start = isLong ? 4 : 2
            let end = start + (isLong ? Int(bytes[2]) << 8 | Int(bytes[3]) : Int(bytes[1]))
            guard bytes.count >= end else { return nil }
            defer { bytes.removeFirst(end) }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
        return try JSONValue(parsing: text)
    }

    /// Says hello with the id of an earlier connection, and returns the one that the service gives or confirms.
    func hello(_ id: String?) async throws -> String? {
        var hello: JSONObject = ["messageType": "hello", "use_webpush": true]
        hello["uaid"] = id.map(JSONValue.string)
        try await send(.object(hello))
        return try await next()["uaid"]?.string
    }
}
