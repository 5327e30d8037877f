import CZlib
package import NIOCore

/// The error of bytes that are not gzip.
package struct GzipError: Error, Hashable, Sendable {
    package init() {}
}

/// A streaming decoder of gzip (RFC 1952).
///
/// It decodes one piece for each call: a few bytes can decode to gigabytes, so the caller decides when to stop.
package final class GzipDecoder {
    /// The maximum size of a piece, in bytes.
    package static let pieceSize = 64 * 1024
    /// A window of 32 KiB, with a gzip header.
    private static let windowBits: Int32 = 15 + 16

    /// The state of zlib. It has a fixed address, because zlib stores that address.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input = ByteBuffer()
    /// `true` if the last piece was full, so that zlib may hold more output.
    private var mayHoldMore = false
    private var isInsideMember = false

    /// Creates a decoder.
    ///
    /// - Throws: ``GzipError`` if there is not enough memory.
    package init() throws(GzipError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else { throw GzipError() }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// `true` if the bytes received so far end at the end of a gzip member.
    package var isWhole: Bool { !isInsideMember }

    package func receive(_ bytes: ByteBuffer) { input.writeImmutableBuffer(bytes) }

    /// Returns the next decoded bytes; `nil` if more input is needed.
    package func nextPiece() throws(GzipError) -> ByteBuffer? {
        while input.readableBytes > 0 || mayHoldMore {
            var piece = ByteBufferAllocator().buffer(capacity: Self.pieceSize)
            let count = try inflate(into: &piece)
            if count > 0 { return piece }
        }
        input.clear()
        return nil
    }

    /// Decodes into `piece`.
    ///
    /// - Returns: The number of bytes written.
    private func inflate(into piece: inout ByteBuffer) throws(GzipError) -> Int {
        if input.readableBytes > 0 { isInsideMember = true }
        var status = Z_OK
        let count = piece.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceSize) { output in
            input.readWithUnsafeMutableReadableBytes { source in
                let space = min(output.count, Self.pieceSize)
                stream.pointee.next_in = source.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_in = UInt32(source.count)
                stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(space)
                status = CZlib.inflate(stream, Z_NO_FLUSH)
                return (source.count - Int(stream.pointee.avail_in), space - Int(stream.pointee.avail_out))
            }
        }
        mayHoldMore = count == Self.pieceSize
        switch status {
        // Z_BUF_ERROR means that more input is needed.
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            // Another member may follow (RFC 1952 §2.2).
            isInsideMember = false
            inflateReset(stream)
        default: throw GzipError()
        }
        return count
    }
}
