internal import Messaging

/// A player's number at the site.
struct PlayerID: Hashable, Sendable, CustomStringConvertible {
    let number: Int64

    /// nil for what is no positive whole number. Leading zeros say nothing: two spellings must not be two players.
    init?(_ text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit),
            let number = Int64(text), number > 0
        else { return nil }
        self.number = number
    }

    var description: String { String(number) }
}
