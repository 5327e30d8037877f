/// A value in the part of CBOR (RFC 8949) that App Attest uses: texts, bytes, arrays, and maps whose keys are texts,
/// all of definite length.
enum CBORValue: Hashable, Sendable {
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([String: CBORValue])

    private static let maximumDepth = 5

    /// Reads a value; `nil` if the bytes are anything else, or more than one value.
    init?(encoded: [UInt8]) {
        var reader = CBORReader(rest: encoded[...])
        guard let value = reader.value(depth: Self.maximumDepth), reader.rest.isEmpty else { return nil }
        self = value
    }

    subscript(name: String) -> CBORValue? { if case .map(let members) = self { members[name] } else { nil } }

    var data: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var string: String? { if case .text(let text) = self { text } else { nil } }
    var elements: [CBORValue]? { if case .array(let elements) = self { elements } else { nil } }
}

/// A reader of values from the front of bytes.
private struct CBORReader {
    var rest: ArraySlice<UInt8>

    /// Takes a value, with others in it at most as deep as given.
    mutating func value(depth: Int) -> CBORValue? {
        guard depth > 0, let (type, count) = head() else { return nil }
        switch type {
        case 2: return take(count).map { .bytes(Array($0)) }
        case 3: return text(count).map { .text($0) }
        case 4: return array(count, depth: depth - 1).map { .array($0) }
        case 5: return map(count, depth: depth - 1).map { .map($0) }
        default: return nil
        }
    }

    /// Takes the major type of a value and its length (RFC 8949 §3).
    private mutating func head() -> (type: UInt8, count: Int)? {
        guard let first = rest.popFirst() else { return nil }
        let byteCount: Int
        switch first & 0x1F {
        case let short where short < 24: return (first >> 5, Int(short))
        case 24: byteCount = 1
        case 25: byteCount = 2
        case 26: byteCount = 4
        default: return nil
        }
        return take(byteCount).map { bytes in (first >> 5, bytes.reduce(0) { $0 << 8 | Int($1) }) }
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func text(_ count: Int) -> String? {
        take(count).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private mutating func array(_ count: Int, depth: Int) -> [CBORValue]? {
        var elements: [CBORValue] = []
        for _ in 0..<count {
            guard let element = value(depth: depth) else { return nil }
            elements.append(element)
        }
        return elements
    }

    private mutating func map(_ count: Int, depth: Int) -> [String: CBORValue]? {
        var members: [String: CBORValue] = [:]
        for _ in 0..<count {
            guard case .text(let name)? = value(depth: depth), members[name] == nil, let member = value(depth: depth)
            else { return nil }
            members[name] = member
        }
        return members
    }
}
