import TestBasics

/// The values that requests refer to: keys, and ids of earlier answers.
package struct World: Sendable {
    private var values: [String: [String]]

    /// - Parameter values: The values by name, one or more for each.
    package init(_ values: [String: [String]] = [:]) { self.values = values }

    /// Adds a value to those of a name.
    package mutating func add(_ value: String, as name: String) { values[name, default: []].append(value) }

    /// Replaces the values of a name by one.
    mutating func set(_ value: String, as name: String) { values[name] = [value] }

    /// Replaces each `<name>` in the text by a value of that name.
    ///
    /// `<n>`, `<word>`, `<hex>`, `<address>` and `<integers>` always exist: a digit, a word, an APNs token, an IP
    /// address, and the integers of an array in Firestore's JSON, a few of them or a megabyte. A name without a value
    /// becomes the word `none`.
    func filled(_ text: String, _ generator: inout SeededGenerator) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            result += rest[..<open]
            result += value(of: String(rest[rest.index(after: open)..<close]), &generator)
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    private func value(of name: String, _ generator: inout SeededGenerator) -> String {
        switch name {
        case "n": return String(generator.number(0...9))
        case "word": return generator.text(8)
        case "hex": return (0..<4).map { _ in String(generator.next() | 1 << 63, radix: 16) }.joined()
        case "address": return (0..<4).map { _ in String(generator.number(1...254)) }.joined(separator: ".")
        case "integers": return integers(&generator)
        default: return values[name].map { generator.pick($0) } ?? "none"
        }
    }

    private func integers(_ generator: inout SeededGenerator) -> String {
        let first = generator.number(0...20_000)
        let count = generator.number(0...9) == 0 ? 40_000 : 3
        return (first..<first + count).map { #"{"integerValue":"\#($0)"}"# }.joined(separator: ",")
    }
}
