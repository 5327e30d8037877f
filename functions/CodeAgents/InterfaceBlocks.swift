/// The parts of a reply that are meant for the app's own interface: blocks fenced with three backticks and named
/// `codeagents-ui` or `codeagents_ui`.
///
/// Found by hand, byte by byte: a `Regex` literal is compiled anew at each use, which took a fifth of a trigger's time.
enum InterfaceBlocks {
    private static let fence = Array("```".utf8)
    private static let names = [Array("codeagents-ui".utf8), Array("codeagents_ui".utf8)]

    /// The text without its blocks; one that is not closed goes on to the end.
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

    /// Where the block ends that begins at the index; nil when none does. Blanks may stand before the name, which is in
    /// any case.
    private static func endOfBlock(in bytes: [UInt8], at start: Int) -> Int? {
        guard bytes[start...].starts(with: fence) else { return nil }
        let afterBlanks = bytes[(start + fence.count)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let name = names.first(where: { afterBlanks.prefix($0.count).map(lowercased) == $0 }) else { return nil }
        var index = afterBlanks.startIndex + name.count
        if index < bytes.count, isNamePart(bytes[index]) { return nil }
        while index < bytes.count {
            if bytes[index...].starts(with: fence) { return index + fence.count }
            index += 1
        }
        return index
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch lowercased(byte) {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
