internal import Foundation

/// A path with names in braces for segments of any text: `/api/devices/{id}`.
public struct PathPattern: Hashable, Sendable, ExpressibleByStringLiteral {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
    }

    let segments: [Segment]

    public init(stringLiteral text: String) {
        segments = text.split(separator: "/").map { segment in
            segment.hasPrefix("{") && segment.hasSuffix("}")
                ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
    }

    /// What the parameters stand for in a path, percent-decoded; nil when it is another path.
    func parameters(of path: [String]) -> [String: String]? {
        path.count == segments.count ? leadingParameters(of: path) : nil
    }

    /// Whether the path is this one, or below it.
    func covers(_ path: [String]) -> Bool { leadingParameters(of: path) != nil }

    private func leadingParameters(of path: [String]) -> [String: String]? {
        guard path.count >= segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal): if literal != text { return nil }
            case .parameter(let name): parameters[name] = text
            }
        }
        return parameters
    }

    /// The segments of a request's path, percent-decoded; empty ones do not count, so `/a//b/` is `/a/b`.
    static func segments(of path: String) -> [String] {
        path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
    }
}
