import Foundation
import JSON

/// An error in one field of a body.
struct FieldIssue: Error, Hashable, Sendable {
    /// The name of the field, with dots before the names of members; `nil` for the body itself.
    let field: String?
    /// The problem, in words for the client, such as `must be a string`.
    let message: String

    /// The issue as JSON: `{"path":["name"],"message":"…"}`.
    var json: JSONValue {
        let path = (field ?? "").split(separator: ".").map { JSONValue.string(String($0)) }
        return ["path": .array(path), "message": .string(message)]
    }
}

/// All errors in a body.
struct FieldIssues: Error, Hashable, Sendable {
    let issues: [FieldIssue]
}

/// A strict reader of a body's fields. It collects all issues, so that one response can list them. `null` counts as
/// absent.
struct CheckedFields {
    private let object: JSONObject
    private(set) var issues: [FieldIssue] = []

    init(_ object: JSONObject) { self.object = object }

    /// - Throws: All issues found so far, if any.
    func check() throws(FieldIssues) {
        if !issues.isEmpty { throw FieldIssues(issues: issues) }
    }

    mutating func report(_ field: String?, _ message: String) {
        issues.append(FieldIssue(field: field, message: message))
    }

    /// Reads a required text, without the white space around it. Its length is in UTF-16 units, as JavaScript counts.
    /// Returns `""` if the text is invalid.
    mutating func text(_ name: String, _ length: ClosedRange<Int>) -> String {
        guard object[name].isThere else {
            report(name, "is required")
            return ""
        }
        return trimmedText(name).flatMap { checked($0, name, length) } ?? ""
    }

    /// Reads an optional text. Returns `nil` if it is invalid, or empty, as a form sends fields that are not filled
    /// in.
    mutating func optionalText(_ name: String, _ length: ClosedRange<Int>) -> String? {
        guard let value = object[name], value != .null, let text = trimmedText(name), !text.isEmpty else { return nil }
        return checked(text, name, length)
    }

    private mutating func trimmedText(_ name: String) -> String? {
        let text = object[name]?.string?.trimmingWhitespace()
        if text == nil { report(name, "must be a string") }
        return text
    }

    private mutating func checked(_ text: String, _ name: String, _ length: ClosedRange<Int>) -> String? {
        if let problem = Self.problem(of: text, length) {
            report(name, problem)
            return nil
        }
        return text
    }

    /// Returns the reason why a trimmed text is invalid, or `nil` if it is valid.
    static func problem(of text: String, _ length: ClosedRange<Int>) -> String? {
        guard length.contains(text.utf16.count) else {
            return "must have \(length.lowerBound) to \(length.upperBound) characters"
        }
        return text.unicodeScalars.contains("\0") ? "must not contain NUL" : nil
    }

    /// Reads a UUID in lower case. Returns `nil` if it is absent or invalid.
    mutating func optionalUUID(_ name: String) -> String? {
        guard let value = object[name], value != .null else { return nil }
        guard let id = value.string.flatMap(UUID.init(uuidString:)) else {
            report(name, "must be a UUID")
            return nil
        }
        return id.uuidString.lowercased()
    }

    mutating func optionalBoolean(_ name: String) -> Bool? {
        guard let value = object[name], value != .null else { return nil }
        if value.bool == nil { report(name, "must be true or false") }
        return value.bool
    }

    /// - Parameter size: The maximum size in bytes, as compact JSON.
    mutating func object(_ name: String, atMost size: Int) -> JSONObject {
        guard object[name].isThere else {
            report(name, "is required")
            return [:]
        }
        return optionalObject(name, atMost: size) ?? [:]
    }

    mutating func optionalObject(_ name: String, atMost size: Int) -> JSONObject? {
        guard let value = object[name], value != .null else { return nil }
        if value.object == nil { report(name, "must be an object") }
        return isSmall(value, name, size) ? value.object : nil
    }

    /// Reads texts, without the white space around them.
    mutating func optionalTexts(_ name: String, atMost count: Int, _ length: ClosedRange<Int>) -> [String]? {
        guard let value = object[name], value != .null else { return nil }
        guard let values = value.array else {
            report(name, "must be an array")
            return nil
        }
        if values.count > count { report(name, "must have at most \(count) elements") }
        let texts = values.compactMap { $0.string?.trimmingWhitespace() }
        guard texts.count == values.count else {
            report(name, "must have strings only")
            return nil
        }
        if let problem = texts.lazy.compactMap({ Self.problem(of: $0, length) }).first {
            report(name, "each element \(problem)")
        }
        return texts
    }

    mutating func optionalInteger(_ name: String, _ range: ClosedRange<Int64>) -> Int64? {
        guard let value = object[name], value != .null else { return nil }
        guard let number = value.integer, range.contains(number) else {
            report(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// Reads one of a fixed set of texts.
    mutating func optionalChoice<Choice: RawRepresentable<String>>(_ name: String, of choices: [Choice]) -> Choice? {
        guard let text = optionalText(name, 1...100) else { return nil }
        let choice = choices.first { $0.rawValue == text }
        if choice == nil { report(name, "must be one of \(choices.map(\.rawValue).joined(separator: ", "))") }
        return choice
    }

    private mutating func isSmall(_ value: JSONValue, _ name: String, _ size: Int) -> Bool {
        let isSmall = value.serialized.count <= size
        if !isSmall { report(name, "must have at most \(size) bytes of JSON") }
        return isSmall
    }
}

extension JSONValue? {
    fileprivate var isThere: Bool { self != nil && self != .some(.null) }
}
