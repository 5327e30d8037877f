import JSON
import NIOCore

/// Firefox's side of autopush: a WebSocket (RFC 6455) with messages of JSON.
struct FirefoxStandIn {
    struct Closed: Error {}

    private var connection: ByteConnection
    private var unread = ByteBuffer()

    /// Connects to a service's port for browsers, and runs the body.
    static func run<Value: Sendable>(
        port: Int, body: @Sendable (inout FirefoxStandIn) async throws -> Value
    ) async throws -> Value {
        try await ByteConnection.run(port: port) { connection in
            var firefox = FirefoxStandIn(connection: connection)
            try await firefox.upgrade()
            return try await body(&firefox)
        }
    }

    private mutating func upgrade() async throws {
        let request = """
            GET / HTTP/1.1\r
            Host: 127.0.0.1\r
            Upgrade: websocket\r
            Connection: keep-alive, Upgrade\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Protocol: push-notification\r
            \r

            """
        try await connection.send(Array(request.utf8))
        var head = ""
        while !head.hasSuffix("\r\n\r\n") { head += String(decoding: try await bytes(1), as: UTF8.self) }
        // The accepted key is that of the example in RFC 6455 §1.3.
        guard head.hasPrefix("HTTP/1.1 101 "), head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
            head.lowercased().contains("sec-websocket-protocol: push-notification\r\n")
        else { throw Closed() }
    }

    private mutating func bytes(_ count: Int) async throws -> [UInt8] {
        while unread.readableBytes < count {
            guard let more = try await connection.read() else { throw Closed() }
            unread.writeImmutableBuffer(more)
        }
        return unread.readBytes(length: count) ?? []
    }

    /// Sends a text message with a mask of zeros.
    func send(_ json: JSONValue) async throws { try await send(0x81, json.serialized) }

    func send(_ opcode: UInt8, _ payload: [UInt8]) async throws {
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)]
            : [0xFE, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
        try await connection.send([opcode] + length + [0, 0, 0, 0] + payload)
    }

    /// Returns the opcode, with the bit of the last frame, and the content of the next frame.
    mutating func frame() async throws -> (opcode: UInt8, content: [UInt8]) {
        let head = try await bytes(2)
        var length = Int(head[1])
        if length == 126 { length = try await bytes(2).reduce(0) { $0 << 8 | Int($1) } }
        return (head[0], try await bytes(length))
    }

    /// Returns the next text message.
    mutating func next() async throws -> JSONValue {
        let frame = try await frame()
        guard frame.opcode == 0x81 else { throw Closed() }
        return try JSONValue(parsing: frame.content)
    }

    /// Says hello and returns the id that the service gives or confirms.
    mutating func hello(_ userAgentID: String? = nil) async throws -> String {
        var hello: JSONObject = ["messageType": "hello", "use_webpush": true, "broadcasts": [:]]
        hello["uaid"] = userAgentID.map(JSONValue.string)
        try await send(.object(hello))
        guard let id = try await next()["uaid"]?.string else { throw Closed() }
        return id
    }

    /// Subscribes, and returns the endpoint.
    mutating func register(_ channel: String, key: String) async throws -> String {
        try await send(["messageType": "register", "channelID": .string(channel), "key": .string(key + "=")])
        guard let endpoint = try await next()["pushEndpoint"]?.string else { throw Closed() }
        return endpoint
    }
}
