public import Foundation

/// `CODEAGENTS_PUSH_GATEWAY_BASE_URL`: where a gateway is, with or without a path prefix, without a `/` at its end.
public struct GatewayURL: Hashable, Sendable, CustomStringConvertible {
    /// The trimmed text.
    public let text: String
    private let base: URL

    /// - Returns: nil unless it is an `http` or `https` URL with a host, and without user, password, query and fragment; nil
    ///   too with white space, quotes, `\`, `$` or what is not ASCII in it, which an environment file may read differently.
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

    /// Where a function of the gateway is called.
    public func function(_ name: String) -> URL { base.appendingPathComponent(name) }

    public var description: String { text }
}
