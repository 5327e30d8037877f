import Foundation

/// A user's name and password for a proxy. They are never printed.
struct ProxyCredentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The value of `Proxy-Authorization` (RFC 7617 §2).
    let authorization: String

    /// Parses percent-encoded `user:password`, as in a URL.
    ///
    /// - Returns: `nil` if the encoding is not valid.
    init?(_ text: Substring) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.compactMap { String($0).removingPercentEncoding }
        guard decoded.count == parts.count else { return nil }
        let pair = decoded.count == 2 ? decoded.joined(separator: ":") : decoded.joined() + ":"
        authorization = "Basic " + Data(pair.utf8).base64EncodedString()
    }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
