package import JSON

/// An answer read from the bytes of a connection.
package struct RawAnswer: Sendable {
    package let status: Int
    /// The header fields, with names in lower case.
    package let headers: [String: String]
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as JSON; `nil` if it is not JSON.
    package var json: JSONValue? { try? JSONValue(parsing: body) }
    /// The error code of a function, the `x` in `{"error":"x"}`.
    package var code: String? { json?["error"]?.string }

    /// Removes the first whole answer from the bytes. Returns `nil` if there is none yet or the bytes are not an
    /// answer.
    package init?(takenFrom bytes: inout [UInt8], isHead: Bool = false) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
        headers = Self.headers(lines.dropFirst())
        let length = isHead ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= end.upperBound + length else { return nil }
        self.status = status
        body = Array(bytes[end.upperBound..<(end.upperBound + length)])
        bytes.removeFirst(end.upperBound + length)
    }

    private static func headers(_ lines: some Sequence<Substring>) -> [String: String] {
        let pairs = lines.compactMap { line -> (String, String)? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            return (parts[0].lowercased(), String(parts[1].drop { $0 == " " }))
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
