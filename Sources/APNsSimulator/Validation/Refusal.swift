/// A refused request: the answer, and its cause in words for the author of the sender.
struct Refusal: Error, Hashable {
    let rejection: Rejection
    /// The value of the request and the expected one. Values are excerpts, so that no whole token is among them.
    let cause: String

    init(_ rejection: Rejection, _ cause: String) {
        self.rejection = rejection
        self.cause = cause
    }
}

extension StringProtocol {
    /// The text in quotation marks for a log line: 40 characters at most, which no device or provider token fits into, and
    /// nothing that a terminal obeys.
    var excerpt: String {
        let shown = prefix(40).map { character -> Character in
            character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "?" : character
        }
        return "“\(String(shown))”" + (count > shown.count ? "… (\(count) characters)" : "")
    }
}
