/// An answer of HTTP/1.
struct HTTP1Answer: Sendable {
    let status: Int
    /// The header fields, with names in lower case.
    let headers: [(name: String, value: String)]
    var body: [UInt8]

    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    /// `true` if the server announces that it closes the connection.
    var isLast: Bool { self["connection"]?.lowercased().contains("close") == true }
}

extension HTTP1Answer {
    /// Parses a head, without the empty line after it.
    init(head: String) throws {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", words[1].utf8.count == 3,
            let status = Int(words[1]), (100...599).contains(status)
        else { throw MalformedAnswer("begins with “\(lines[0].prefix(80))”") }
        self.status = status
        headers = try lines.dropFirst().map { line in
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
                throw MalformedAnswer("has the field “\(line.prefix(80))”")
            }
            return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        body = []
    }
}
