import TestSupport

/// The few frames of HTTP/2 (RFC 9113 §4.1) that a test writes by hand, to stop in the middle.
enum HTTP2Frames {
    /// What a client begins with: the preface and empty settings.
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(type: 4, on: 0, [])

    /// The head of a request.
    ///
    /// - Parameter isWhole: whether nothing follows.
    static func request(
        _ method: String, _ path: String, on stream: UInt8, more: [(String, String)] = [], isWhole: Bool = false
    ) -> [UInt8] {
        let fields = [
            (":method", method), (":scheme", "https"), (":path", path), (":authority", TLSConnection.name),
        ]
        // A literal field without indexing, with a new name (RFC 7541 §6.2.2).
        let block = (fields + more).reduce(into: [UInt8]()) { $0 += [0x00] + text($1.0) + text($1.1) }
        return frame(type: 1, flags: isWhole ? 0x5 : 0x4, on: stream, block)
    }

    /// Takes whole frames off the bytes, up to one that has the status of the stream's answer.
    static func takeStatus(of stream: UInt8, from bytes: inout [UInt8]) -> Int? {
        while bytes.count >= 9 {
            let length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
            guard bytes.count >= 9 + length else { return nil }
            let (type, owner, payload) = (bytes[3], bytes[8], Array(bytes[9..<(9 + length)]))
            bytes.removeFirst(9 + length)
            // Statuses have places in the static table (RFC 7541, appendix A).
            if type == 1, owner == stream, let first = payload.first { return [0x88: 200, 0x8C: 400][first] ?? 0 }
        }
        return nil
    }

    private static func frame(type: UInt8, flags: UInt8 = 0, on stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags, 0, 0, 0, stream]
            + payload
    }

    /// Not Huffman-coded, and shorter than 127 bytes.
    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
}
