internal import Foundation
internal import Functions

/// What settings of several systems have in common.
extension Settings {
    /// The fewest characters a key may have that somebody made up.
    static let shortestKey = 16

    func apiKeys(_ key: String) throws(ConfigurationError) -> APIKeys {
        let keys = try list(key, of: "a key of \(Self.shortestKey) characters or more", isSecret: true) { text in
            text.utf8.count >= Self.shortestKey ? text : nil
        }
        return APIKeys(keys)
    }

    /// An address that paths can be put behind.
    func webAddress(_ key: String) throws(ConfigurationError) -> String? {
        guard let text = string(key) else { return nil }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), let host = url.host, !host.isEmpty,
            url.query == nil, url.fragment == nil, url.user == nil
        else {
            throw ConfigurationError(key: key, problem: "must be an address like https://example.com")
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }
}
