import NIOCore

/// A reader of frames from a server's bytes.
struct HTTP2FrameReader {
    private var buffer = ByteBuffer()

    mutating func append(_ bytes: inout ByteBuffer) { buffer.writeBuffer(&bytes) }

    /// Returns the next complete frame, or `nil` if there is none yet.
    mutating func next() throws -> HTTP2Frame? {
        guard let head: (UInt8, UInt16, UInt8, UInt8, UInt32) = head() else { return nil }
        let length = Int(head.0) << 16 | Int(head.1)
        guard let kind = HTTP2Frame.Kind(rawValue: head.2), kind != .pushPromise else {
            throw MalformedAnswer("a frame of type \(head.2)")
        }
        guard length <= 1 << 20 else { throw MalformedAnswer("a frame of \(length) bytes") }
        guard buffer.readableBytes >= 9 + length else { return nil }
        buffer.moveReaderIndex(forwardBy: 9)
        let payload = buffer.readBytes(length: length) ?? []
        return HTTP2Frame(kind, flags: head.3, on: head.4 & 0x7FFF_FFFF, payload)
    }

    private func head() -> (UInt8, UInt16, UInt8, UInt8, UInt32)? {
        let start = buffer.readerIndex
        guard buffer.readableBytes >= 9, let high: UInt8 = buffer.getInteger(at: start),
            let low: UInt16 = buffer.getInteger(at: start + 1), let type: UInt8 = buffer.getInteger(at: start + 3),
            let flags: UInt8 = buffer.getInteger(at: start + 4), let stream: UInt32 = buffer.getInteger(at: start + 5)
        else { return nil }
        return (high, low, type, flags, stream)
    }
}

/// An answer that violates its protocol.
struct MalformedAnswer: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
