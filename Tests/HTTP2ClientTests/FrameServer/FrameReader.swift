/// A parser that splits a client's bytes into frames, after the preface (RFC 9113 §3.4).
struct FrameReader {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private var bytes: [UInt8] = []
    private var hasPreface = false

    mutating func receive(_ more: some Sequence<UInt8>) { bytes += more }

    mutating func next() -> Frame? {
        if !hasPreface, bytes.starts(with: Self.preface) {
            bytes.removeFirst(Self.preface.count)
            hasPreface = true
        }
        guard hasPreface, bytes.count >= 9 else { return nil }
        let length = bytes[..<3].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 9 + length else { return nil }
        defer { bytes.removeFirst(9 + length) }
        return Frame(
            kind: Frame.Kind(rawValue: bytes[3]), flags: bytes[4],
            stream: bytes[5..<9].reduce(0) { $0 << 8 | UInt32($1) }, payload: Array(bytes[9..<(9 + length)]))
    }
}
