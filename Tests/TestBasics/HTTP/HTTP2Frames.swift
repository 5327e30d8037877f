/// HTTP/2 frames (RFC 9113 §4.1) written by hand, to send bytes that no client sends.
package enum HTTP2Frames {
    /// The type of a frame (RFC 9113 §6).
    package enum FrameType: UInt8, Sendable {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// The flag `END_STREAM`.
    package static let endStream: UInt8 = 0x1
    /// The flag `END_HEADERS`.
    package static let endHeaders: UInt8 = 0x4

    /// The start of a client's connection: the preface and empty settings.
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(.settings)

    /// Returns a frame; stream 0 is the connection.
    package static func frame(
        _ type: FrameType, flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type.rawValue, flags]
            + bytes(of: stream) + payload
    }

    /// Returns the head of a request.
    ///
    /// - Parameters:
    ///   - authority: the name of the server.
    ///   - more: further fields.
    ///   - isWhole: `true` if nothing follows.
    package static func request(
        _ method: String, _ path: String, on stream: UInt32, authority: String = "fcm.googleapis.com",
        more: [(String, String)] = [], isWhole: Bool = false
    ) -> [UInt8] {
        let fields = [(":method", method), (":scheme", "https"), (":path", path), (":authority", authority)]
        // Each field is a literal without indexing and with a new name (RFC 7541 §6.2.2).
        let block = (fields + more).reduce(into: [UInt8]()) { $0 += [0x00] + text($1.0) + text($1.1) }
        return frame(.headers, flags: isWhole ? endHeaders | endStream : endHeaders, on: stream, block)
    }

    /// Returns a frame that resets a stream (RFC 9113 §6.4).
    ///
    /// - Parameter code: the error code; 8 is `CANCEL`.
    package static func reset(_ stream: UInt32, code: UInt32 = 8) -> [UInt8] {
        frame(.resetStream, on: stream, bytes(of: code))
    }

    /// Returns a PING frame whose 8 bytes all have this value.
    package static func ping(_ payload: UInt8 = 0) -> [UInt8] {
        frame(.ping, Array(repeating: payload, count: 8))
    }

    /// Returns a frame that enlarges the window of a stream, or of the connection for stream 0.
    package static func windowUpdate(on stream: UInt32 = 0, by increment: UInt32) -> [UInt8] {
        frame(.windowUpdate, on: stream, bytes(of: increment))
    }

    /// Removes whole frames from the bytes up to the one with the status of the stream's answer, and returns the
    /// status.
    package static func takeStatus(of stream: UInt32, from bytes: inout [UInt8]) -> Int? {
        take(from: &bytes) { frame in
            guard frame.type == .headers, frame.stream == stream, let first = frame.payload.first else { return nil }
            // Statuses have entries in the static table (RFC 7541, appendix A).
            return [0x88: 200, 0x8C: 400][first] ?? 0
        }
    }

    /// Removes whole frames from the bytes up to one that ends an answer. Returns `nil` if there is none yet.
    package static func takeEnd(from bytes: inout [UInt8]) -> Void? {
        take(from: &bytes) { frame in
            let isEnd = (frame.type == .data || frame.type == .headers) && frame.flags & endStream != 0
            return isEnd ? () : nil
        }
    }

    /// Removes whole frames from the bytes up to a GOAWAY, and returns its error code.
    package static func takeGoAwayCode(from bytes: inout [UInt8]) -> UInt32? {
        take(from: &bytes) { frame in
            guard frame.type == .goAway, frame.payload.count >= 8 else { return nil }
            return frame.payload[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// Removes whole frames from the bytes up to the first for which `find` returns a value.
    package static func take<Found>(from bytes: inout [UInt8], _ find: (ReceivedFrame) -> Found?) -> Found? {
        var start = bytes.startIndex
        defer { bytes.removeSubrange(..<start) }
        while bytes.count - start >= 9 {
            let length = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            let end = start + 9 + length
            guard bytes.count >= end else { return nil }
            let frame = ReceivedFrame(
                type: FrameType(rawValue: bytes[start + 3]), flags: bytes[start + 4],
                stream: bytes[(start + 5)..<(start + 9)].reduce(0) { $0 << 8 | UInt32($1) },
                payload: Array(bytes[(start + 9)..<end]))
            start = end
            if let found = find(frame) { return found }
        }
        return nil
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        [UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }

    /// Returns the text without Huffman coding. The text must be shorter than 127 bytes.
    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
}

/// A frame received from a server.
package struct ReceivedFrame: Sendable {
    /// The type; `nil` if RFC 9113 does not define it.
    package let type: HTTP2Frames.FrameType?
    package let flags: UInt8
    /// The stream's id; 0 for the connection.
    package let stream: UInt32
    package let payload: [UInt8]
}
