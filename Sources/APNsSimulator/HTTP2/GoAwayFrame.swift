import JSON
import NIOHTTP2

/// A GOAWAY frame without an error (RFC 9113 §6.8), as bytes.
///
/// It is written past `NIOHTTP2Handler`. That would from then on ignore the HEADERS frame of a later stream, as it should,
/// but take the stream's DATA frames for an error of the connection, and stop in the middle of what it has read: requests
/// that are still to be answered would be left lying.
struct GoAwayFrame: Sendable {
    let lastStream: HTTP2StreamID
    /// The `reason` in the debug data; `nil` for no debug data.
    let reason: String?

    private static let type: UInt8 = 0x07
    private static let noFlags: UInt8 = 0
    private static let noError: [UInt8] = [0, 0, 0, 0]

    var bytes: [UInt8] {
        let debugData = reason.map { JSONValue.object(["reason": .string($0)]).serialized } ?? []
        var bytes = Array(Self.bigEndian(8 + debugData.count).dropFirst())
        bytes += [Self.type, Self.noFlags] + Self.bigEndian(0)
        bytes += Self.bigEndian(Int(lastStream)) + Self.noError + debugData
        return bytes
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian, Array.init)
    }
}
