public import JSON

/// Reads fields of a request body the way JavaScript handlers do: leniently, by what a value can be taken for.
public struct LooseFields: Sendable {
    private let object: JSONObject

    public init(_ object: JSONObject) { self.object = object }

    /// The string without white space around it; nil when blank, or no string.
    public func string(_ name: String) -> String? {
        guard let text = object[name]?.string else { return nil }
        let trimmed = text.trimmingWhitespace()
        return trimmed.isEmpty ? nil : trimmed
    }

    /// A number, truncated, or the number a string begins with (`"12abc"` is 12); nil otherwise, and when it does not
    /// fit 64 bits.
    public func integer(_ name: String) -> Int64? {
        switch object[name] {
        case .integer(let value)?: value
        case .double(let value)?: Int64(exactly: value.rounded(.towardZero))
        case .string(let text)?: Self.leadingInteger(of: text)
        default: nil
        }
    }

    /// nil when the field is absent; true for `true`, 1, and the strings `true`, `1`, `yes` in any case; else false.
    public func boolean(_ name: String) -> Bool? {
        switch object[name] {
        case nil: nil
        case .bool(let value)?: value
        case .integer(let value)?: value == 1
        case .double(let value)?: value == 1
        case .string(let text)?: ["true", "1", "yes"].contains(text.trimmingWhitespace().lowercased())
        default: false
        }
    }

    private static func leadingInteger(of text: String) -> Int64? {
        var digits = text.trimmingWhitespace()[...]
        let isNegative = digits.first == "-"
        if isNegative || digits.first == "+" { digits.removeFirst() }
        let number = digits.prefix { $0.isASCII && $0.isNumber }
        return Int64((isNegative ? "-" : "") + number)
    }
}

extension String {
    /// As every text's, without a copy where there is nothing around it.
    func trimmingWhitespace() -> String { mayHaveBlanksAround ? self[...].trimmingWhitespace() : self }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    /// Without the white space before and after. Scalar by scalar, as JavaScript's `trim` has it: a combining mark after a
    /// blank stays, though Swift takes the two for one character.
    func trimmingWhitespace() -> String {
        guard mayHaveBlanksAround else { return String(self) }
        guard let first = unicodeScalars.firstIndex(where: { !$0.isBlank }),
            let last = unicodeScalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(self[first..<unicodeScalars.index(after: last)])
    }

    /// Not when both ends are printable ASCII, as they nearly always are.
    fileprivate var mayHaveBlanksAround: Bool {
        let printable: ClosedRange<UInt8> = 0x21...0x7E
        return !(utf8.first.map(printable.contains) ?? false && utf8.last.map(printable.contains) ?? false)
    }
}

extension Unicode.Scalar {
    /// White space and line ends as ECMAScript counts them: Unicode's, and the byte order mark.
    var isBlank: Bool {
        isASCII ? self == " " || ("\t"..."\r").contains(self) : properties.isWhitespace || self == "\u{FEFF}"
    }
}
