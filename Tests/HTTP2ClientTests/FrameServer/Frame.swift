/// A frame of HTTP/2 (RFC 9113 §4.1).
struct Frame: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case data = 0, headers = 1, reset = 3, settings = 4, ping = 6, goAway = 7, windowUpdate = 8
    }

    enum Setting: UInt16, Sendable {
        case maximumStreams = 3, initialWindow = 4
    }

    /// The kind of the frame; `nil` if no test uses it.
    let kind: Kind?
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    var isAcknowledgement: Bool { (kind == .settings || kind == .ping) && flags & 1 != 0 }
    /// `true` if the frame completes a request.
    var endsRequest: Bool { (kind == .data || kind == .headers) && flags & 1 != 0 }

    var bytes: [UInt8] {
        let length = payload.count
        return [
            UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind?.rawValue ?? 0, flags,
        ]
            + stream.bigEndianBytes + payload
    }

    // MARK: Frames of a server

    /// Returns an answer with status 200, and with a body to follow if `hasBody`.
    static func answer(to stream: UInt32, hasBody: Bool = false) -> Frame {
        // The field with index 8 in the static table (RFC 7541 §6.1): `:status` 200.
        Frame(kind: .headers, flags: hasBody ? 4 : 5, stream: stream, payload: [0x88])
    }

    static func body(_ count: Int, of stream: UInt32, isLast: Bool) -> Frame {
        Frame(kind: .data, flags: isLast ? 1 : 0, stream: stream, payload: [UInt8](repeating: 0x61, count: count))
    }

    static func settings(_ settings: [Setting: UInt32]) -> Frame {
        let payload = settings.flatMap { [UInt8(0), UInt8($0.key.rawValue)] + $0.value.bigEndianBytes }
        return Frame(kind: .settings, payload: payload)
    }

    static func windowUpdate(_ increment: UInt32, of stream: UInt32) -> Frame {
        Frame(kind: .windowUpdate, stream: stream, payload: increment.bigEndianBytes)
    }

    static func goAway(last stream: UInt32, _ text: String) -> Frame {
        Frame(kind: .goAway, payload: stream.bigEndianBytes + UInt32(0).bigEndianBytes + Array(text.utf8))
    }
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(self >> (24 - 8 * $0) & 0xFF) } }
}
