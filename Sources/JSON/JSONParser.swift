/// Why a text is not JSON, and where.
public struct JSONParsingError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: String, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "a character that cannot stand here"
        case invalidUTF8 = "bytes that are not UTF-8"
        case invalidEscape = "an escape that JSON does not have"
        case invalidNumber = "a malformed number, or one too large for a double"
        case tooDeep = "nested too deeply"
        case trailingBytes = "more text after the value"
    }

    public let reason: Reason
    /// The offset in bytes from the start of the text.
    public let offset: Int

    public var description: String { "not JSON: \(reason.rawValue), at byte \(offset)" }
}

extension JSONValue {
    /// Parses one JSON text (RFC 8259), strictly, with two leniencies: half of a surrogate pair (`"\ud83d"`), which
    /// JavaScript writes when it cuts a string inside an emoji, is read as U+FFFD rather than refused, and a byte order
    /// mark before the text is skipped.
    ///
    /// - Parameter maximumDepth: how deep arrays and objects may nest; the parser recurses, so there has to be an end.
    public init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = 128) throws(JSONParsingError) {
        let result: Result<JSONValue, JSONParsingError>? = bytes.withContiguousStorageIfAvailable { buffer in
            JSONParser.parse(buffer, maximumDepth: maximumDepth)
        }
        self = try (result ?? Array(bytes).withUnsafeBufferPointer { JSONParser.parse($0, maximumDepth: maximumDepth) })
            .get()
    }

    public init(parsing text: String, maximumDepth: Int = 128) throws(JSONParsingError) {
        var text = text
        let result = text.withUTF8 { JSONParser.parse($0, maximumDepth: maximumDepth) }
        self = try result.get()
    }
}

/// A recursive-descent parser over bytes. Every loop advances, so its time is linear in the text.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var depthLeft: Int

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) -> Result<JSONValue, JSONParsingError> {
        var parser = JSONParser(bytes: bytes, depthLeft: maximumDepth)
        do throws(JSONParsingError) {
            return .success(try parser.document())
        } catch {
            return .failure(error)
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, depthLeft: Int) {
        self.bytes = bytes
        self.depthLeft = depthLeft
    }

    /// U+FEFF in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private mutating func document() throws(JSONParsingError) -> JSONValue {
        // RFC 8259 §8.1: a parser may ignore it; some clients on Windows send one.
        if bytes.first == Self.byteOrderMark[0], bytes.starts(with: Self.byteOrderMark) { position = 3 }
        let value = try self.value()
        skipWhitespace()
        guard position == bytes.count else { throw error(.trailingBytes) }
        return value
    }

    func error(_ reason: JSONParsingError.Reason) -> JSONParsingError {
        JSONParsingError(reason: reason, offset: position)
    }

    // MARK: Tokens

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The next byte that is not white space, without taking it.
    private mutating func peek() throws(JSONParsingError) -> UInt8 {
        skipWhitespace()
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        return bytes[position]
    }

    private mutating func take(_ byte: UInt8) throws(JSONParsingError) {
        guard try peek() == byte else { throw error(.unexpectedByte) }
        position += 1
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONParsingError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw error(.unexpectedEnd) }
            guard bytes[position] == word.utf8Start[index] else { throw error(.unexpectedByte) }
            position += 1
        }
        return value
    }

    // MARK: Values

    private mutating func value() throws(JSONParsingError) -> JSONValue {
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func enter() throws(JSONParsingError) {
        guard depthLeft > 0 else { throw error(.tooDeep) }
        depthLeft -= 1
        position += 1
    }

    private mutating func leave() {
        depthLeft += 1
        position += 1
    }

    private mutating func object() throws(JSONParsingError) -> JSONObject {
        try enter()
        var members: [(name: String, value: JSONValue)] = []
        if try peek() != UInt8(ascii: "}") {
            // Room for as many as most objects have.
            members.reserveCapacity(6)
            while true {
                guard try peek() == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
                let name = try string()
                try take(UInt8(ascii: ":"))
                members.append((name, try value()))
                if try peek() == UInt8(ascii: "}") { break }
                try take(UInt8(ascii: ","))
            }
        }
        leave()
        return JSONObject(members)
    }

    private mutating func array() throws(JSONParsingError) -> [JSONValue] {
        try enter()
        var elements: [JSONValue] = []
        if try peek() != UInt8(ascii: "]") {
            while true {
                elements.append(try value())
                if try peek() == UInt8(ascii: "]") { break }
                try take(UInt8(ascii: ","))
            }
        }
        leave()
        return elements
    }
}
