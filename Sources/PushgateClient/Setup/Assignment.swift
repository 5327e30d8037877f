/// A line that gives a key a value: blanks and `export` before the key are allowed, and kept.
struct Assignment {
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
