public import Foundation

/// A gateway's base URL (`CODEAGENTS_PUSH_GATEWAY_BASE_URL`), with or without a path prefix, without a trailing `/`.
public struct GatewayURL: Hashable, Sendable, CustomStringConvertible {
    /// The trimmed text.
    public let text: String
    private let base: URL

    /// Creates a URL; `nil` unless it is an `http` or `https` URL with a host, and without user, password, query and
    /// fragment. White space, quotes, `\`, `$` and non-ASCII characters are refused as well, because readers of
    /// environment files treat them differently.
    public init?(_ text: String) {
        var trimmed = text.trimmingBlanks()
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        guard trimmed.utf8.allSatisfy(Self.isPlain), let parts = URLComponents(string: trimmed), let base = parts.url,
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else { return nil }
        self.text = trimmed
        self.base = base
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"'`\\$".utf8.contains(byte)
    }

    /// Returns the URL of a function of the gateway.
    public func function(_ name: String) -> URL { base.appendingPathComponent(name) }

    /// The trimmed text.
    public var description: String { text }
}
