import Texts

/// The form of a text in a line of the log. Clients choose some of them, such as the names of databases: none may begin
/// another line, act on a terminal, or fill the disk.
enum LogText {
    /// The greatest number of bytes of a text.
    static let longest = 2_000

    /// Returns the beginning of a long text, with the length of the whole.
    static func cut(_ text: String) -> String {
        let count = text.utf8.count
        guard count > longest else { return text }
        let end = text.utf8.index(text.startIndex, offsetBy: longest)
        return "\(Substring(text.unicodeScalars[..<end]))… (\(count) bytes)"
    }

    /// Returns a cut text that stays within its line.
    static func escaped(_ text: String) -> String { EscapedText.line(cut(text)) }
}
