/// The short form of a reply that a notification shows.
enum Preview {
    /// The most UTF-16 units shown.
    static let maximumLength = 240

    /// The reply without the app's own interface blocks, in one line, cut to length; nil when nothing is left.
    static func text(of reply: String) -> String? {
        let line = InterfaceBlocks.removed(from: reply).shortened(to: maximumLength)
        return line.isEmpty ? nil : line
    }
}
