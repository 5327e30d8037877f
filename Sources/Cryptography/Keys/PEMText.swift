/// PEM as files and environments carry it, brought into the form that OpenSSL and BoringSSL read (RFC 7468).
///
/// Editors write a byte order mark in front, and variables, secrets and JSON lose the ends of lines or keep them as
/// `\n`.
package enum PEMText {
    private static let (begin, end, dashes) = ("-----BEGIN ", "-----END ", "-----")
    private static let columns = 64

    /// Returns the text with each block on lines of its own. A text without PEM stays as it is.
    package static func repaired(_ text: String) -> String {
        var text = text[...]
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        guard text.contains(begin) else { return String(text) }
        let lines = text.replacing("\\r", with: "").replacing("\\n", with: "\n")
        return blocks(of: String(lines)).joined(separator: "\n")
    }

    /// Returns the repaired text of a file.
    package static func repaired(_ bytes: [UInt8]) -> [UInt8] {
        Array(repaired(String(decoding: bytes, as: UTF8.self)).utf8)
    }

    /// Returns the blocks and, between them, the text that is not PEM.
    private static func blocks(of text: String) -> [String] {
        var (parts, rest) = ([String](), text[...])
        while let start = rest.firstRange(of: begin), let block = Block(rest[start.lowerBound...]) {
            parts += [String(rest[..<start.lowerBound]), block.text]
            rest = rest[block.end...]
        }
        return parts + [String(rest)]
    }

    /// A block at the beginning of a text.
    private struct Block {
        let text: String
        let end: String.Index

        init?(_ rest: Substring) {
            let afterBegin = rest.dropFirst(PEMText.begin.count)
            guard let labelEnd = afterBegin.firstRange(of: PEMText.dashes) else { return nil }
            let label = afterBegin[..<labelEnd.lowerBound]
            let last = "\(PEMText.end)\(label)\(PEMText.dashes)"
            guard let closing = rest[labelEnd.upperBound...].firstRange(of: last) else { return nil }
            let body = rest[labelEnd.upperBound..<closing.lowerBound]
            text = "\(PEMText.begin)\(label)\(PEMText.dashes)\n\(PEMText.lines(of: body))\n\(last)\n"
            end = closing.upperBound
        }
    }

    /// Returns the content of a block in lines. Header fields (RFC 1421), as encrypted keys have, stay as they are.
    private static func lines(of body: Substring) -> String {
        guard !body.contains(":") else { return String(body.drop { $0.isNewline }) }
        let content = Array(body.utf8.filter { $0 > 0x20 })
        return stride(from: 0, to: content.count, by: columns).map { start in
            String(decoding: content[start..<min(start + columns, content.count)], as: UTF8.self)
        }.joined(separator: "\n")
    }
}
