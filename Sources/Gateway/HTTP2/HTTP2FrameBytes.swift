internal import NIOHTTP2

/// The frames that ``HTTP2ConnectionHandler`` writes itself.
enum HTTP2FrameBytes {
    /// RFC 9113 §6.8.
    static func goAway(lastStream: UInt32, code: HTTP2ErrorCode = .noError) -> [UInt8] {
        [0, 0, 8, 7, 0, 0, 0, 0, 0] + bytes(of: lastStream & 0x7FFF_FFFF) + bytes(of: UInt32(code.networkCode))
    }

    /// RFC 9113 §6.7.
    static let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0] + Array("Pushgate".utf8)

    private static func bytes(of number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }
}
