internal import HTTPTypes

/// Gathers an answer's header fields and body as libcurl delivers them.
struct ResponseCollector {
    private let limit: Int
    private(set) var headerFields = HTTPFields()
    private(set) var body: [UInt8] = []
    /// Whether the body was longer than the limit; what exceeds it is not kept.
    private(set) var isTooLarge = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes one header line with its line break: a status line, a field, or the empty line at the end.
    mutating func receive(headerLine bytes: UnsafeRawBufferPointer) {
        // Each status line starts a new set, so that those of 1xx answers are dropped (RFC 9110 §15.2).
        if bytes.starts(with: "HTTP/".utf8) {
            headerFields = HTTPFields()
            return
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: bytes[..<colon], as: UTF8.self))
        else { return }
        let value = bytes[(colon + 1)...].trimmingWhitespace()
        headerFields.append(HTTPField(name: name, value: String(decoding: value, as: UTF8.self)))
    }

    /// Takes a piece of the body; answers whether it was within the limit.
    mutating func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limit else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Without optional white space and line breaks at both ends (RFC 9110 §5.5).
    fileprivate func trimmingWhitespace() -> Self {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
