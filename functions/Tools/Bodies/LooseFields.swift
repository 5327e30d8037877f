package import JSON

/// A lenient reader of a request body's fields. It converts values as JavaScript handlers do.
package struct LooseFields: Sendable {
    private let object: JSONObject

    /// Reads the fields of a parsed body.
    package init(_ object: JSONObject) { self.object = object }

    /// Returns the string without the white space around it; `nil` if it is blank or not a string.
    package func string(_ name: String) -> String? {
        guard let text = object[name]?.string else { return nil }
        let trimmed = text.trimmingWhitespace()
        return trimmed.isEmpty ? nil : trimmed
    }

    /// Returns a number, truncated, or the number at the beginning of a string (`"12abc"` is 12); `nil` otherwise, or
    /// if it does not fit in 64 bits.
    package func integer(_ name: String) -> Int64? {
        switch object[name] {
        case .integer(let value)?: value
        case .double(let value)?: Int64(exactly: value.rounded(.towardZero))
        case .string(let text)?: Self.leadingInteger(of: text)
        default: nil
        }
    }

    /// Returns `nil` if the field is absent, `true` for `true`, 1, and the strings `true`, `1`, `yes` in any case,
    /// otherwise `false`.
    package func boolean(_ name: String) -> Bool? {
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
    /// Removes white space as the generic version does, without a copy if there is none.
    func trimmingWhitespace() -> String { mayHaveBlanksAround ? self[...].trimmingWhitespace() : self }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    /// Removes the white space before and after. It compares scalars, as JavaScript's `trim` does: a combining mark
    /// after a blank stays, although Swift reads the two as one character.
    func trimmingWhitespace() -> String {
        guard mayHaveBlanksAround else { return String(self) }
        guard let first = unicodeScalars.firstIndex(where: { !$0.isBlank }),
            let last = unicodeScalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(self[first..<unicodeScalars.index(after: last)])
    }

    /// `false` if both ends are printable ASCII, which is nearly always the case.
    fileprivate var mayHaveBlanksAround: Bool {
        let printable: ClosedRange<UInt8> = 0x21...0x7E
        return !(utf8.first.map(printable.contains) ?? false && utf8.last.map(printable.contains) ?? false)
    }
}

extension Unicode.Scalar {
    /// `true` for white space and line ends as in ECMAScript: Unicode's, and the byte order mark.
    var isBlank: Bool {
        isASCII ? self == " " || ("\t"..."\r").contains(self) : properties.isWhitespace || self == "\u{FEFF}"
    }
}
