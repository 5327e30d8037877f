internal import Foundation

/// A user's name and password for a proxy, which never print themselves.
struct ProxyCredentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The value of `Proxy-Authorization` (RFC 7617 §2).
    let authorization: String

    /// Reads `user:password` as a URL has it, percent-encoded.
    ///
    /// - Returns: `nil` if the encoding is none.
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
