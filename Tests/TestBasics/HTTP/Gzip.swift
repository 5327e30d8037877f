import CZlib

/// An encoder for gzip (RFC 1952), as clients use it that compress their bodies.
package enum Gzip {
    /// A window of 32 KiB, plus 16 for a gzip header.
    private static let windowBits: Int32 = 15 + 16

    /// Returns the bytes in the gzip format.
    package static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 1_000 + 64)
        var stream = z_stream()
        // The stream's address must not change, because zlib stores it.
        let count = withUnsafeMutablePointer(to: &stream) { stream in
            deflateInit2_(
                stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
            defer { deflateEnd(stream) }
            return input.withUnsafeMutableBufferPointer { source in
                output.withUnsafeMutableBufferPointer { target in
                    stream.pointee.next_in = source.baseAddress
                    stream.pointee.avail_in = UInt32(source.count)
                    stream.pointee.next_out = target.baseAddress
                    stream.pointee.avail_out = UInt32(target.count)
                    deflate(stream, Z_FINISH)
                    return target.count - Int(stream.pointee.avail_out)
                }
            }
        }
        return Array(output.prefix(count))
    }
}
