import Texts

/// The reason why a text is not JSON, and the place.
public struct JSONParsingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error; the raw value is its text for people.
    public enum Reason: String, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd = "the text ends too early"
        /// A byte that the grammar does not allow in this place.
        case unexpectedByte = "an unexpected character"
        /// A string with bytes that are not UTF-8.
        case invalidUTF8 = "bytes that are not UTF-8"
        /// An escape sequence that JSON does not define.
        case invalidEscape = "an invalid escape"
        /// A number that is malformed, or too large for a `Double`.
        case invalidNumber = "a malformed number, or one too large for a double"
        /// Arrays and objects nest deeper than the limit.
        case tooDeep = "nested too deeply"
        /// An object that has a name twice, if names must be unique.
        case repeatedName = "a name that occurs twice"
        /// Bytes after the value other than white space.
        case trailingBytes = "more text after the value"
    }

    /// The kind of error.
    public let reason: Reason
    /// The offset of the error, in bytes from the start of the text.
    public let offset: Int

    /// The reason and the offset as text, without the parsed text itself.
    public var description: String { "not JSON: \(reason.rawValue), at byte \(offset)" }
}

extension JSONValue {
    /// Parses one JSON text (RFC 8259) strictly, with two exceptions. Half of a surrogate pair (`"\ud83d"`), which
    /// JavaScript writes when it cuts a string inside an emoji, becomes U+FFFD. A byte order mark before the text is
    /// skipped.
    ///
    /// - Parameter maximumDepth: the greatest nesting of arrays and objects. The parser is recursive, so it needs a
    ///   limit.
    public init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = 128) throws(JSONParsingError) {
        let result: Result<JSONValue, JSONParsingError>? = bytes.withContiguousStorageIfAvailable { buffer in
            JSONParser.parse(buffer, maximumDepth: maximumDepth)
        }
        self = try (result ?? Array(bytes).withUnsafeBufferPointer { JSONParser.parse($0, maximumDepth: maximumDepth) })
            .get()
    }

    /// Parses a text as ``init(parsing:maximumDepth:)`` does, and refuses objects that have a name twice. Of those,
    /// other parsers may see another value.
    package init(parsingUniqueNames bytes: some Sequence<UInt8>) throws(JSONParsingError) {
        self = try Array(bytes).withUnsafeBufferPointer {
            JSONParser.parse($0, maximumDepth: 128, requiresUniqueNames: true)
        }.get()
    }

    /// Parses a text as ``init(parsing:maximumDepth:)`` parses its UTF-8.
    public init(parsing text: String, maximumDepth: Int = 128) throws(JSONParsingError) {
        var text = text
        let result = text.withUTF8 { JSONParser.parse($0, maximumDepth: maximumDepth) }
        self = try result.get()
    }
}

/// A recursive-descent parser of bytes. Each loop advances, so the time is linear in the length of the text.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var depthLeft: Int
    private let requiresUniqueNames: Bool

    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, requiresUniqueNames: Bool = false
    ) -> Result<JSONValue, JSONParsingError> {
        var parser = JSONParser(bytes: bytes, depthLeft: maximumDepth, requiresUniqueNames: requiresUniqueNames)
        do throws(JSONParsingError) {
            return .success(try parser.document())
        } catch {
            return .failure(error)
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, depthLeft: Int, requiresUniqueNames: Bool) {
        self.bytes = bytes
        self.depthLeft = depthLeft
        self.requiresUniqueNames = requiresUniqueNames
    }

    /// U+FEFF in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private mutating func document() throws(JSONParsingError) -> JSONValue {
        // A parser may ignore the mark (RFC 8259 §8.1); some clients on Windows send one.
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

    /// Returns the next byte that is not white space, without consuming it.
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
            // Reserves memory for the number of members that most objects have.
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
        let object = JSONObject(members)
        guard !requiresUniqueNames || object.count == members.count else { throw error(.repeatedName) }
        return object
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

/// Parsing of numbers (RFC 8259 §6).
extension JSONParser {
    mutating func number() throws(JSONParsingError) -> JSONValue {
        let start = position
        _ = skip(UInt8(ascii: "-"))
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        guard isDigit(at: position) else { throw error(.unexpectedByte) }
        if !skip(UInt8(ascii: "0")) { skipDigits() }
        let isInteger = try !skipFractionAndExponent()
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else {
            throw JSONParsingError(reason: .invalidNumber, offset: start)
        }
        return .double(double)
    }

    private mutating func skipFractionAndExponent() throws(JSONParsingError) -> Bool {
        var found = false
        if skip(UInt8(ascii: ".")) {
            try requireDigits()
            found = true
        }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            try requireDigits()
            found = true
        }
        return found
    }

    private func isDigit(at index: Int) -> Bool {
        index < bytes.count && bytes[index].isASCIIDigit
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipDigits() {
        while isDigit(at: position) { position += 1 }
    }

    private mutating func requireDigits() throws(JSONParsingError) {
        guard isDigit(at: position) else { throw error(.invalidNumber) }
        skipDigits()
    }
}
