/// The short form of a reply that a notification shows.
enum Preview {
    /// The most UTF-16 units shown.
    static let maximumLength = 240

    /// The reply without the app's own interface blocks, in one line, cut to length; nil when nothing is left.
    static func text(of reply: String) -> String? {
        let line = collapsingWhitespace(InterfaceBlocks.removed(from: reply))
        return line.isEmpty ? nil : truncated(line)
    }

    private static func collapsingWhitespace(_ text: String) -> String {
        text.unicodeScalars.split(whereSeparator: \.isBlank).map { String($0) }.joined(separator: " ")
    }

    /// At most ``maximumLength`` units; what is longer ends in an ellipsis, and no surrogate pair is split.
    private static func truncated(_ text: String) -> String {
        guard text.utf16.count > maximumLength else { return text }
        var length = 0
        let kept = text.unicodeScalars.prefix { scalar in
            length += UTF16.width(scalar)
            return length < maximumLength
        }
        return String(kept).trimmingWhitespace() + "…"
    }
}
