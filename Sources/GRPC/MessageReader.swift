import NIOCore

/// A reader of length-prefixed messages from bytes in pieces of any size
/// ([gRPC over HTTP/2](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#requests)).
struct MessageReader {
    /// The size of the prefix: a flag and a length of four bytes.
    static let prefixBytes = 5

    private let maximumBytes: Int
    private let memory: MessageMemory
    /// The memory for the message that is arriving.
    private var reservation: MessageReservation?
    /// `true` if messages with the flag are compressed with gzip. The answers are never compressed.
    var isGzip = false
    private var buffer = ByteBuffer()

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - maximumBytes: The maximum size of a message.
    ///   - memory: The memory for large messages.
    init(maximumBytes: Int, memory: MessageMemory) {
        self.maximumBytes = maximumBytes
        self.memory = memory
    }

    /// `true` if the bytes received so far end within a message.
    var isWithinMessage: Bool { buffer.readableBytes > 0 }

    mutating func receive(_ bytes: ByteBuffer) {
        guard isWithinMessage else { return buffer = bytes }
        // Without this, a stream that never pauses between two messages would grow the buffer for ever.
        buffer.discardReadBytes()
        buffer.writeImmutableBuffer(bytes)
    }

    /// Returns the next complete message; `nil` if none is complete.
    ///
    /// - Throws: As soon as the prefix shows it, `INVALID_ARGUMENT` for a message that cannot be read, and
    ///   `RESOURCE_EXHAUSTED` for one that is too large for the memory that is left.
    mutating func next() throws(GRPCStatus) -> ReceivedMessage? {
        guard let flag = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) else { return nil }
        guard flag == 0 || flag == 1 && isGzip else {
            throw .invalidArgument("a message is compressed, and the head of the call has no grpc-encoding")
        }
        guard let length = buffer.getInteger(at: buffer.readerIndex + 1, as: UInt32.self) else { return nil }
        guard Int(length) <= maximumBytes else {
            throw .invalidArgument("the message has \(length) bytes; the maximum is \(maximumBytes)")
        }
        if reservation == nil {
            reservation = try memory.reserve(Int(length), isCompressed: flag == 1, limit: maximumBytes)
        }
        guard buffer.readableBytes >= Self.prefixBytes + Int(length) else { return nil }
        buffer.moveReaderIndex(forwardBy: Self.prefixBytes)
        defer { reservation = nil }
        return buffer.readBytes(length: Int(length)).map {
            ReceivedMessage(
                bytes: $0, isCompressed: flag == 1, maximumBytes: maximumBytes, reservation: reservation)
        }
    }
}

extension ByteBuffer {
    /// Writes a message with its prefix.
    mutating func writeMessage(_ message: [UInt8]) {
        reserveCapacity(minimumWritableBytes: MessageReader.prefixBytes + message.count)
        writeInteger(UInt8(0))
        writeInteger(UInt32(truncatingIfNeeded: message.count))
        writeBytes(message)
    }
}
