internal import CZlib
internal import Functions
internal import NIOCore

/// A decoder of gzip (RFC 1952), for bytes as they come.
///
/// It decodes a piece at a time, when asked: a few bytes can stand for gigabytes, and whoever asks decides when there have
/// been enough.
final class GzipDecoder {
    /// The largest piece, in bytes.
    static let pieceSize = 64 * 1024
    /// A window of 32 KiB, and a header of gzip's.
    private static let windowBits: Int32 = 15 + 16

    /// At an address of its own, since zlib notes it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input = ByteBuffer()
    /// A Boolean value indicating whether the last piece was full, so that zlib may hold more.
    private var mayHoldMore = false
    private var isInsideMember = false

    /// - Throws: ``RequestBodyError/malformedEncoding`` if there is no memory for it.
    init() throws(RequestBodyError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else { throw .malformedEncoding }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// A Boolean value indicating whether the bytes received so far end where a member of gzip's does.
    var isWhole: Bool { !isInsideMember }

    func receive(_ bytes: ByteBuffer) { input.writeImmutableBuffer(bytes) }

    /// Returns the next decoded bytes, `nil` if more input is needed.
    func nextPiece() throws(RequestBodyError) -> ByteBuffer? {
        while input.readableBytes > 0 || mayHoldMore {
            var piece = ByteBufferAllocator().buffer(capacity: Self.pieceSize)
            let count = try inflate(into: &piece)
            if count > 0 { return piece }
        }
        input.clear()
        return nil
    }

    /// - Returns: the number of bytes written.
    private func inflate(into piece: inout ByteBuffer) throws(RequestBodyError) -> Int {
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
        // The second: it needs more input.
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            // Another member may follow (RFC 1952 §2.2).
            isInsideMember = false
            inflateReset(stream)
        default: throw .malformedEncoding
        }
        return count
    }
}
