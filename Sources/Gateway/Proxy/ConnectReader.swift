internal import NIOCore

/// Takes in the head of a request to the proxy, byte by byte if need be (RFC 9112 §2.2).
///
/// Stricter than it would have to be: lines end in CRLF. Nothing of a head is passed on, so nothing in it can mean one
/// thing here and another elsewhere.
struct ConnectReader {
    /// The longest head that is taken; those of clients have a few hundred bytes.
    static let maximumBytes = 8_192

    enum Outcome: Equatable {
        case incomplete
        /// A tunnel is asked for, and may be had; the rest is what has come of its contents.
        case connect(rest: ByteBuffer)
        /// - isHead: whether the method was `HEAD`.
        case refused(ConnectRefusal, isHead: Bool)
    }

    private var unread = ByteBuffer()
    /// How much of the unread has been searched for a line's end.
    private var searched = 0
    private var taken = 0
    private var lines: [String] = []

    /// Whether anything has come.
    var hasBegun: Bool { taken + unread.readableBytes > 0 }

    /// Takes what has come in. Every outcome but the first is the last.
    mutating func receive(_ bytes: ByteBuffer) -> Outcome {
        unread.writeImmutableBuffer(bytes)
        while let line = nextLine() {
            guard taken <= Self.maximumBytes else { return .refused(.tooLarge, isHead: false) }
            guard let line = Self.text(of: line) else { return .refused(.malformed, isHead: false) }
            if !line.isEmpty {
                lines.append(line)
            } else if !lines.isEmpty {
                return judgement
            }
        }
        let isTooLarge = taken + unread.readableBytes > Self.maximumBytes
        return isTooLarge ? .refused(.tooLarge, isHead: false) : .incomplete
    }

    private mutating func nextLine() -> [UInt8]? {
        let unsearched = unread.readableBytesView.dropFirst(searched)
        guard let end = unsearched.firstIndex(of: UInt8(ascii: "\n")) else {
            searched = unread.readableBytes
            return nil
        }
        let length = end - unread.readerIndex + 1
        searched = 0
        taken += length
        return unread.readBytes(length: length)
    }

    /// A line without its end; nil when that is no CRLF, or there is a control character in it.
    private static func text(of line: [UInt8]) -> String? {
        let text = line.dropLast(2)
        let isText = text.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
        return line.suffix(2).elementsEqual("\r\n".utf8) && isText ? String(decoding: text, as: UTF8.self) : nil
    }

    private var judgement: Outcome {
        guard let head = ConnectHead(lines: lines) else { return .refused(.malformed, isHead: false) }
        guard let refusal = head.refusal else { return .connect(rest: unread) }
        return .refused(refusal, isHead: head.method == "HEAD")
    }
}
