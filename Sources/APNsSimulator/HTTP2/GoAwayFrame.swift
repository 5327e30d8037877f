import JSON
import NIOHTTP2
import SimulatorTools

/// A GOAWAY frame without an error (RFC 9113 §6.8), as bytes.
///
/// It is written below `NIOHTTP2Handler`. After a GOAWAY of its own, the handler ignores the HEADERS frame of a later
/// stream, as it should, but treats the stream's DATA frames as an error of the connection and stops in the middle of
/// a read, so that earlier requests would never be answered.
struct GoAwayFrame: Sendable {
    let lastStream: HTTP2StreamID
    /// The `reason` in the debug data; `nil` if there is no debug data.
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

/// A delegate that detects an error of the whole connection.
///
/// NIO reports errors of a stream and of the connection to the pipeline in the same way, but sends GOAWAY only for the
/// latter. The simulator's own ``GoAwayFrame`` does not pass here. There is one delegate for each connection, and it is
/// used on the connection's event loop only.
final class GoAwayWatch: NIOHTTP2FrameDelegate {
    private(set) var sawError = false
    private let history: NotificationHistory

    init(history: NotificationHistory) {
        self.history = history
    }

    func wroteFrame(_ frame: HTTP2Frame) {
        guard case .goAway = frame.payload else { return }
        sawError = true
        history.count { $0.goAwaysSent += 1 }
    }
}
