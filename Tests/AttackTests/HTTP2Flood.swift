import TestSupport
import Testing

/// A flood of frames that cost their sender little.
struct HTTP2Flood: CustomTestStringConvertible, Sendable {
    let name: String
    /// The frames that are sent once, at the beginning.
    var beginning: [UInt8] = []
    /// The frame that is repeated.
    let frame: [UInt8]

    var testDescription: String { name }

    /// The frame repeated as often as it fits into 64 KiB.
    var piece: [UInt8] { Array(repeatElement(frame, count: (64 << 10) / frame.count).joined()) }

    private static let openStream = HTTP2Frames.request("POST", "/healthz", on: 1)
    private static let endedStream = HTTP2Frames.request("GET", "/healthz", on: 1, isWhole: true)
    private static let unfinishedHead = HTTP2Frames.frame(.headers, on: 1, [0x82])

    /// CVE-2019-9511 to 9518, CVE-2024-27316 and related attacks.
    static let all = [
        HTTP2Flood(name: "PING", frame: HTTP2Frames.ping()),
        HTTP2Flood(
            name: "PING acknowledgements", frame: HTTP2Frames.frame(.ping, flags: 1, [UInt8](repeating: 0, count: 8))),
        HTTP2Flood(name: "SETTINGS", frame: HTTP2Frames.frame(.settings)),
        HTTP2Flood(name: "SETTINGS with parameters", frame: HTTP2Frames.frame(.settings, [0, 4, 0, 0, 0xFF, 0xFF])),
        HTTP2Flood(name: "PRIORITY", frame: HTTP2Frames.frame(.priority, on: 3, [0, 0, 0, 0, 15])),
        HTTP2Flood(name: "empty DATA", beginning: openStream, frame: HTTP2Frames.frame(.data, on: 1)),
        HTTP2Flood(
            name: "padding", beginning: openStream, frame: HTTP2Frames.frame(.data, flags: 0x8, on: 1, [1, 0])),
        HTTP2Flood(name: "WINDOW_UPDATE", frame: HTTP2Frames.windowUpdate(by: 1)),
        HTTP2Flood(
            name: "WINDOW_UPDATE of an ended stream", beginning: endedStream,
            frame: HTTP2Frames.windowUpdate(on: 1, by: 1)),
        HTTP2Flood(name: "RST_STREAM of an ended stream", beginning: endedStream, frame: HTTP2Frames.reset(1)),
        HTTP2Flood(name: "RST_STREAM of no stream", frame: HTTP2Frames.reset(101)),
        HTTP2Flood(name: "CONTINUATION", beginning: unfinishedHead, frame: HTTP2Frames.frame(.continuation, on: 1)),
        HTTP2Flood(name: "HEADERS of an ended stream", beginning: endedStream, frame: endedStream),
        HTTP2Flood(name: "GOAWAY", frame: HTTP2Frames.frame(.goAway, [UInt8](repeating: 0, count: 8))),
        HTTP2Flood(name: "an unknown type", frame: [0, 0, 0, 0xBB, 0, 0, 0, 0, 0]),
    ]
}
