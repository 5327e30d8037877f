import Texts

/// The short form of a reply in a notification.
enum Preview {
    /// The maximum length in UTF-16 units.
    static let maximumLength = 240

    /// Returns the reply without the app's interface blocks, as one line, cut to the maximum length; `nil` if nothing
    /// is left.
    static func text(of reply: String) -> String? {
        let line = InterfaceBlocks.removed(from: reply).shortened(to: maximumLength)
        return line.isEmpty ? nil : line
    }
}

/// The parts of a reply for the app's own interface: blocks fenced with three backticks and a name that begins with
/// `codeagents-ui` or `codeagents_ui`.
///
/// The search is written by hand and works on bytes. A `Regex` literal is compiled on each use, which took a fifth of
/// a trigger's time.
enum InterfaceBlocks {
    private static let fence = Array("```".utf8)
    private static let names = [Array("codeagents-ui".utf8), Array("codeagents_ui".utf8)]

    /// Returns the text without its blocks. An unclosed block extends to the end.
    static func removed(from text: String) -> String {
        guard text.utf8.contains(fence[0]) else { return text }
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let end = endOfBlock(in: bytes, at: index) {
                index = end
            } else {
                kept.append(bytes[index])
                index += 1
            }
        }
        return kept.count == bytes.count ? text : String(decoding: kept, as: UTF8.self)
    }

    /// Returns the end of a block that begins at the index, or `nil` if there is none. Blanks are allowed before the
    /// name, which is in any case and may continue.
    private static func endOfBlock(in bytes: [UInt8], at start: Int) -> Int? {
        guard bytes[start...].starts(with: fence) else { return nil }
        let afterBlanks = bytes[(start + fence.count)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let name = names.first(where: { afterBlanks.prefix($0.count).map(\.asciiLowercased) == $0 }) else {
            return nil
        }
        var index = afterBlanks.startIndex + name.count
        while index < bytes.count {
            if bytes[index...].starts(with: fence) { return index + fence.count }
            index += 1
        }
        return index
    }
}
