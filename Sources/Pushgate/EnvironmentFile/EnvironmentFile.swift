/// The text of an environment file (`KEY=value` lines, as systemd's `EnvironmentFile=` and shells read them), in which
/// single values can be changed and everything else stays as it is, byte for byte.
struct EnvironmentFile: Equatable {
    static let secretKey = "CODEAGENTS_PUSH_SECRET"
    static let baseURLKey = "CODEAGENTS_PUSH_GATEWAY_BASE_URL"

    /// Each with its line ending; the last may have none.
    private var lines: [[UInt8]]

    init(_ bytes: [UInt8]) {
        lines = []
        var line: [UInt8] = []
        for byte in bytes {
            line.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            lines.append(line)
            line = []
        }
        if !line.isEmpty { lines.append(line) }
    }

    var bytes: [UInt8] { Array(lines.joined()) }

    /// The value of the key's last assignment, which is the one that counts; without its quotes.
    func value(of key: String) -> String? {
        lastAssignment(of: key).map { Self.unquoted(String(decoding: $0.assignment.value, as: UTF8.self)) }
    }

    /// Gives the key a value: in the place, and with the quotes, of its last assignment; else on a line of its own at the
    /// end.
    mutating func set(_ key: String, to value: String) {
        if let (index, assignment) = lastAssignment(of: key) {
            let quote = Self.quote(around: assignment.value)
            lines[index] = assignment.prefix + quote + Array(value.utf8) + quote + assignment.ending
        } else {
            append("\(key)=\(value)")
        }
    }

    private mutating func append(_ text: String) {
        let ending = lines.compactMap { Assignment.ending(of: $0) }.last { !$0.isEmpty } ?? [UInt8(ascii: "\n")]
        if let last = lines.indices.last, Assignment.ending(of: lines[last]).isEmpty { lines[last] += ending }
        lines.append(Array(text.utf8) + ending)
    }

    private func lastAssignment(of key: String) -> (index: Int, assignment: Assignment)? {
        for index in lines.indices.reversed() {
            if let assignment = Assignment(lines[index]), assignment.key == key { return (index, assignment) }
        }
        return nil
    }

    // MARK: Quotes

    private static func quote(around value: [UInt8]) -> [UInt8] {
        guard value.count >= 2, let first = value.first, first == value.last,
            [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(first)
        else { return [] }
        return [first]
    }

    private static func unquoted(_ value: String) -> String {
        quote(around: Array(value.utf8)).isEmpty ? value : String(value.dropFirst().dropLast())
    }
}

/// A line that gives a key a value: blanks and `export` before the key are allowed, and kept.
private struct Assignment {
    let key: String
    /// Everything up to and with the equals sign, and blanks after it.
    let prefix: [UInt8]
    let value: [UInt8]
    let ending: [UInt8]

    init?(_ line: [UInt8]) {
        ending = Self.ending(of: line)
        let text = line.dropLast(ending.count)
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        var name = String(decoding: text[..<equals], as: UTF8.self).split(separator: " ").flatMap {
            $0.split(separator: "\t")
        }
        if name.first == "export" { name.removeFirst() }
        guard name.count == 1, let key = name.first, !key.hasPrefix("#") else { return nil }
        self.key = String(key)
        let blanks = text[(equals + 1)...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        prefix = Array(text[...equals]) + Array(blanks)
        value = Self.withoutBlanksAtEnd(Array(text.dropFirst(prefix.count)))
    }

    /// `\r\n`, `\n`, or nothing.
    static func ending(of line: [UInt8]) -> [UInt8] {
        guard line.last == UInt8(ascii: "\n") else { return [] }
        return line.dropLast().last == UInt8(ascii: "\r") ? Array("\r\n".utf8) : Array("\n".utf8)
    }

    private static func withoutBlanksAtEnd(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while let last = bytes.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { bytes.removeLast() }
        return bytes
    }
}
