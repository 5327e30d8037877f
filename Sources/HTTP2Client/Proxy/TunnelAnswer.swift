/// A proxy's answer to `CONNECT` as it comes in, without any I/O.
struct TunnelAnswer {
    enum Progress: Hashable {
        case isIncomplete
        /// The bytes that follow are the server's.
        case isOpen
        case isRefused(status: Int)
        case isInvalid
    }

    /// The number of bytes that the head of an answer may have.
    static let limit = 16 * 1024

    private var head: [UInt8] = []

    /// Takes bytes of the proxy.
    ///
    /// A server says nothing before the client has, by TLS: bytes that follow the answer at once are not the server's.
    mutating func receive(_ bytes: some Collection<UInt8>) -> Progress {
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard head.count < Self.limit else { return .isInvalid }
            head.append(byte)
            guard isComplete else { continue }
            guard let status else { return .isInvalid }
            head = []
            // An informational answer comes before the one that counts (RFC 9110 §15.2).
            guard status >= 200 else { continue }
            guard status < 300 else { return .isRefused(status: status) }
            return rest.isEmpty ? .isOpen : .isInvalid
        }
        return .isIncomplete
    }

    private var isComplete: Bool { head.last == 0x0A && (head.hasSuffix("\r\n\r\n") || head.hasSuffix("\n\n")) }

    /// The status of `HTTP/1.1 200 Connection established` (RFC 9112 §4).
    private var status: Int? {
        let line = head.prefix { $0 != 0x0A && $0 != 0x0D }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].count == 3,
            let status = Int(String(decoding: words[1], as: UTF8.self)), (100...599).contains(status)
        else { return nil }
        return status
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
