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

    /// Returns the values of the parameters in a path, or `nil` if it is another path.
    func parameters(of path: RequestPath) -> [String: String]? {
        guard path.segments.count == segments.count, covers(path) else { return nil }
        var parameters: [String: String] = [:]
        for case (.parameter(let name), let text) in zip(segments, path.segments) { parameters[name] = String(text) }
        return parameters
    }

    /// Returns whether a path is this one, or below it.
    func covers(_ path: RequestPath) -> Bool {
        path.segments.count >= segments.count
            && zip(segments, path.segments).allSatisfy { segment, text in
                if case .literal(let literal) = segment { literal == text } else { true }
            }
    }
}
