internal import Foundation

/// The path of a request, taken apart once for all who look for it.
public struct RequestPath: Sendable {
    /// Percent-decoded; empty ones do not count, so `/a//b/` is `/a/b`.
    public let segments: [Substring]

    public init(_ text: String) {
        let segments = text.split(separator: "/")
        let isEncoded = text.utf8.contains(UInt8(ascii: "%"))
        self.segments = isEncoded ? segments.map { $0.removingPercentEncoding?[...] ?? $0 } : segments
    }
}
