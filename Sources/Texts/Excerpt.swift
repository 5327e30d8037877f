extension StringProtocol {
    /// The text in quotation marks for a log line: at most 40 characters, fewer than a token has, and without control
    /// characters.
    package var excerpt: String {
        let shown = prefix(40).map { character -> Character in
            character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "?" : character
        }
        return "“\(String(shown))”" + (count > shown.count ? "… (\(count) characters)" : "")
    }
}
