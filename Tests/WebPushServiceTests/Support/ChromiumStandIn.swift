import NIOCore

@testable import WebPushService

/// Chromium's side of MCS.
struct ChromiumStandIn {
    struct Closed: Error {}

    private var connection: ByteConnection
    private var reader = MCSFrameReader()

    /// Connects to a service's MCS port, and runs the body.
    static func run<Value: Sendable>(
        port: Int, caFile: String, body: @Sendable (inout ChromiumStandIn) async throws -> Value
    ) async throws -> Value {
        try await ByteConnection.run(port: port, caFile: caFile) { connection in
            var chromium = ChromiumStandIn(connection: connection)
            return try await body(&chromium)
        }
    }

    /// Logs in, and checks the answer.
    mutating func logIn(_ androidID: UInt64, _ securityToken: UInt64, received: [String] = []) async throws {
        var login = ProtobufWriter()
        login.write("chrome-140", 1)
        login.write("mcs.android.com", 2)
        login.write(String(androidID), 3)
        login.write(String(androidID), 4)
        login.write(String(securityToken), 5)
        for id in received { login.write(id, 10) }
        let frame = MCSFrame(tag: MCSTag.loginRequest, content: login.bytes)
        try await connection.send([MCSFrame.version] + frame.bytes)
        guard try await next().tag == MCSTag.loginResponse else { throw Closed() }
    }

    func send(_ tag: UInt8, _ write: (inout ProtobufWriter) -> Void) async throws {
        var message = ProtobufWriter()
        write(&message)
        try await connection.send(MCSFrame(tag: tag, content: message.bytes).bytes)
    }

    mutating func next() async throws -> MCSFrame {
        while true {
            if let frame = try reader.next() { return frame }
            guard let more = try await connection.read() else { throw Closed() }
            reader.append(more)
        }
    }

    /// Returns the fields of the next push message, and the number of its frame.
    mutating func nextMessage() async throws -> (fields: ProtobufFields, streamID: Int) {
        while true {
            let frame = try await next()
            guard frame.tag == MCSTag.dataMessageStanza else { continue }
            let fields = try ProtobufFields(frame.content)
            return (fields, Int(fields.number(10) ?? 0))
        }
    }
}
