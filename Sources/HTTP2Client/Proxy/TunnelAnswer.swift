/// A proxy's response to `CONNECT` while it arrives, parsed without I/O.
struct TunnelAnswer {
    enum Progress: Hashable {
        case isIncomplete
        /// The tunnel is open. Further bytes are the server's.
        case isOpen
        case isRefused(status: Int)
        case isInvalid
    }

    /// The greatest number of bytes in the head of a response.
    static let limit = 16 * 1024

    private var head: [UInt8] = []

    /// Parses bytes from the proxy.
    ///
    /// In TLS the client sends first, so bytes that immediately follow the response are not the server's, and the
    /// response is not valid.
    mutating func receive(_ bytes: some Collection<UInt8>) -> Progress {
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard head.count < Self.limit else { return .isInvalid }
            head.append(byte)
            guard isComplete else { continue }
            guard let status else { return .isInvalid }
            head = []
            // Informational responses precede the final one (RFC 9110 §15.2).
            guard status >= 200 else { continue }
            guard status < 300 else { return .isRefused(status: status) }
            return rest.isEmpty ? .isOpen : .isInvalid
        }
        return .isIncomplete
    }

    private var isComplete: Bool { head.last == 0x0A && (head.hasSuffix("\r\n\r\n") || head.hasSuffix("\n\n")) }

    /// The status of a line such as `HTTP/1.1 200 Connection established` (RFC 9112 §4).
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
