/// A frame of HTTP/2 as bytes (RFC 9113 §4.1), valid or not.
struct HTTP2Frame: Sendable {
    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    enum Flag {
        static let endStream: UInt8 = 0x1
        static let acknowledgement: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
        static let padded: UInt8 = 0x8
        static let priority: UInt8 = 0x20
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    var type: UInt8
    var flags: UInt8
    var stream: UInt32
    var payload: [UInt8]
    /// The announced length of the frame; `nil` for the true one.
    var announcedLength: Int?

    init(_ kind: Kind, flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8]) {
        type = kind.rawValue
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    var bytes: [UInt8] {
        let length = announcedLength ?? payload.count
        return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
            + Self.bytes(of: stream) + payload
    }

    /// Returns the bytes of a number in network order.
    static func bytes(of number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }

    static func settings(_ values: [(id: UInt16, value: UInt32)]) -> HTTP2Frame {
        HTTP2Frame(.settings, values.flatMap { [UInt8($0.id >> 8), UInt8($0.id & 0xFF)] + bytes(of: $0.value) })
    }

    static func windowUpdate(_ increment: UInt32, on stream: UInt32 = 0) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, on: stream, bytes(of: increment))
    }

    /// The first frames of a client with maximal windows.
    static let opening = [
        settings([(id: 0x2, value: 0), (id: 0x4, value: 0x7FFF_FFFF)]), windowUpdate(0x7000_0000),
    ]
}
