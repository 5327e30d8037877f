/// Gathers an answer's head and body as libcurl delivers them.
struct ResponseCollector {
    private let limit: Int
    private(set) var head = ResponseHead()
    private(set) var body: [UInt8] = []
    /// Whether the body was longer than the limit; what exceeds it is not kept.
    private(set) var isTooLarge = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes one header line with its line break: a status line, a field, or the empty line at the end.
    mutating func receive(headerLine bytes: UnsafeRawBufferPointer) {
        // Each status line starts a new set, so that those of 1xx answers are dropped (RFC 9110 §15.2).
        if bytes.starts(with: "HTTP/".utf8) { head = ResponseHead() }
        head.append(bytes)
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
