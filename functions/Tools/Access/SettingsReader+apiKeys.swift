import Settings

/// The kinds of settings that several systems have.
extension SettingsReader {
    /// The minimum number of characters of a key that a person chose.
    static let shortestKey = 16

    func apiKeys(_ key: String) throws(ConfigurationError) -> APIKeys {
        let keys = try list(key, of: "a key of \(Self.shortestKey) characters or more", isSecret: true) { text in
            text.utf8.count >= Self.shortestKey ? text : nil
        }
        return APIKeys(keys)
    }
}
