package import JSON

/// A lenient reader of a request body's fields. It converts values as JavaScript handlers do.
package struct LooseFields: Sendable {
    private let object: JSONObject

    /// Reads the fields of a parsed body.
    package init(_ object: JSONObject) { self.object = object }

    /// Returns the value of any kind; `nil` if it is absent or `null`.
    func value(_ name: String) -> JSONValue? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }

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
        case .string(let text)?: Int64(Self.leadingDigits(of: text))
        default: nil
        }
    }

    /// Returns a number as ``integer(_:)`` does, with JavaScript's range and precision.
    func scriptInteger(_ name: String) -> ScriptInteger? {
        switch object[name] {
        case .integer(let value)?: ScriptInteger(Double(value))
        case .double(let value)?: ScriptInteger(value)
        case .string(let text)?: Double(Self.leadingDigits(of: text)).flatMap(ScriptInteger.init)
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

    /// Returns the digits at the beginning of a text, after a minus sign if it has one.
    private static func leadingDigits(of text: String) -> String {
        var digits = text.trimmingWhitespace()[...]
        let isNegative = digits.first == "-"
        if isNegative || digits.first == "+" { digits.removeFirst() }
        return (isNegative ? "-" : "") + digits.prefix { $0.isASCII && $0.isNumber }
    }
}

/// An integer as JavaScript has it: a `Double` without a fraction, printed by the rules of
/// [ECMAScript](https://tc39.es/ecma262/#sec-numeric-types-number-tostring).
struct ScriptInteger: Hashable, Sendable, CustomStringConvertible {
    private let value: Double

    /// Truncates a number. Returns `nil` if it is not finite.
    init?(_ number: Double) {
        guard number.isFinite else { return nil }
        value = number.rounded(.towardZero)
    }

    /// The shortest digits that mean this number, followed by zeros; with an exponent from 10²¹.
    var description: String {
        guard value.magnitude < 1e21 else { return value.description }
        guard let exact = Int64(exactly: value), exact.magnitude <= 1 << 53 else { return paddedDigits }
        return String(exact)
    }

    private var paddedDigits: String {
        let parts = value.magnitude.description.split(separator: "e")
        let digits = parts[0].hasSuffix(".0") ? parts[0].dropLast(2) : parts[0]
        let fraction = digits.split(separator: ".").dropFirst().first?.count ?? 0
        let exponent = parts.dropFirst().first.flatMap { Int($0) } ?? 0
        let zeros = String(repeating: "0", count: max(0, exponent - fraction))
        return (value < 0 ? "-" : "") + digits.filter { $0 != "." } + zeros
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
    /// `true` for white space and line ends as in ECMAScript: Unicode's without U+0085, and the byte order mark.
    var isBlank: Bool {
        guard !isASCII else { return self == " " || ("\t"..."\r").contains(self) }
        return properties.isWhitespace && self != "\u{85}" || self == "\u{FEFF}"
    }
}
