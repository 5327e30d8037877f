import Foundation

/// A path with named parameters in braces: `/api/devices/{id}`.
package struct PathPattern: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
    }

    let segments: [Segment]
    /// The path as it was written, with the parameters' names.
    package let description: String

    /// Splits a path at its slashes. A segment in braces is a parameter.
    package init(stringLiteral text: String) {
        description = text
        segments = text.split(separator: "/").map { segment in
            segment.hasPrefix("{") && segment.hasSuffix("}")
                ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
    }

    /// Returns the values of the parameters in a path, or `nil` if the path does not match.
    func parameters(of path: RequestPath) -> [String: String]? {
        guard path.segments.count == segments.count, covers(path) else { return nil }
        var parameters: [String: String] = [:]
        for case (.parameter(let name), let text) in zip(segments, path.segments) { parameters[name] = String(text) }
        return parameters
    }

    /// Returns `true` if the path matches the pattern or is below it.
    func covers(_ path: RequestPath) -> Bool {
        path.segments.count >= segments.count
            && zip(segments, path.segments).allSatisfy { segment, text in
                if case .literal(let literal) = segment { literal == text } else { true }
            }
    }
}

/// The path of a request, split once for all lookups.
package struct RequestPath: Sendable {
    /// The percent-decoded segments. Empty segments are dropped, so `/a//b/` equals `/a/b`.
    package let segments: [Substring]

    /// Splits a path at its slashes and decodes the segments.
    package init(_ text: String) { self.init(text[...]) }

    /// Splits a path at its slashes and decodes the segments.
    package init(_ text: Substring) {
        let segments = text.split(separator: "/")
        let isEncoded = text.utf8.contains(UInt8(ascii: "%"))
        self.segments = isEncoded ? segments.map { $0.removingPercentEncoding?[...] ?? $0 } : segments
    }
}

extension RequestPath {
    /// Returns the last segment of a path; `nil` if there are none, or more than a number of them. It makes no list of
    /// the segments of a usual path.
    package static func lastSegment(of text: Substring, amongAtMost most: Int) -> Substring? {
        guard text.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) else {
            let segments = RequestPath(text).segments
            return segments.count <= most ? segments.last : nil
        }
        let slash = UInt8(ascii: "/")
        var (rest, last, count) = (text.utf8, Substring?.none, 0)
        while let start = rest.firstIndex(where: { $0 != slash }) {
            let end = rest[start...].firstIndex(of: slash) ?? rest.endIndex
            (last, count) = (text[start..<end], count + 1)
            rest = rest[end...]
        }
        return count <= most ? last : nil
    }
}
