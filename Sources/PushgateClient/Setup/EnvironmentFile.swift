public import Foundation

/// The contents of a daemon's environment file (`KEY=value` lines, as systemd's `EnvironmentFile=` and shells read them),
/// in which single values can be changed and everything else stays as it is, byte for byte.
///
/// The rule is that of `pushgate enable`.
public struct EnvironmentFile: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public static let secretKey = "CODEAGENTS_PUSH_SECRET"
    public static let baseURLKey = "CODEAGENTS_PUSH_GATEWAY_BASE_URL"

    /// Each with its line ending; the last may have none.
    private var lines: [[UInt8]]

    public init(_ text: String) { self.init(Data(text.utf8)) }

    /// - Parameter bytes: the file's, empty when there is no file yet; they need not be text.
    public init(_ bytes: Data) {
        lines = []
        var line: [UInt8] = []
        for byte in bytes {
            line.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            lines.append(line)
            line = []
        }
        if !line.isEmpty { lines.append(line) }
    }

    public var bytes: Data { Data(lines.joined()) }
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// How many lines there are: the lines hold secrets, of others too.
    public var description: String { "an environment file of \(lines.count) lines" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The value of the key's last assignment, which is the one that counts; without its quotes.
    public func value(of key: String) -> String? {
        lastAssignment(of: key).map { Self.unquoted(String(decoding: $0.assignment.value, as: UTF8.self)) }
    }

    /// Gives the key a value: in the place, and with the quotes, of its last assignment; else on a line of its own at the end.
    ///
    /// - Throws: when the value has a line end or a NUL in it: what comes after that would not be the value's any more.
    public mutating func set(_ key: String, to value: String) throws(UnusableValue) {
        guard !value.unicodeScalars.contains(where: { ["\n", "\r", "\0"].contains($0) }) else { throw UnusableValue() }
        put(value, for: key)
    }

    /// Gives the key a value that is known to have no line end.
    mutating func put(_ value: String, for key: String) {
        if let (index, assignment) = lastAssignment(of: key) {
            let quote = Self.quote(around: assignment.value)
            lines[index] = assignment.prefix + quote + Array(value.utf8) + quote + assignment.ending
        } else {
            append("\(key)=\(value)")
        }
    }

    private mutating func append(_ text: String) {
        let ending = lines.compactMap { Assignment.ending(of: $0) }.last { !$0.isEmpty } ?? [UInt8(ascii: "\n")]
        if let last = lines.indices.last, Assignment.ending(of: lines[last]).isEmpty { lines[last] += ending }
        lines.append(Array(text.utf8) + ending)
    }

    private func lastAssignment(of key: String) -> (index: Int, assignment: Assignment)? {
        for index in lines.indices.reversed() {
            if let assignment = Assignment(lines[index]), assignment.key == key { return (index, assignment) }
        }
        return nil
    }

    // MARK: Quotes

    private static func quote(around value: [UInt8]) -> [UInt8] {
        guard value.count >= 2, let first = value.first, first == value.last,
            [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(first)
        else { return [] }
        return [first]
    }

    private static func unquoted(_ value: String) -> String {
        quote(around: Array(value.utf8)).isEmpty ? value : String(value.dropFirst().dropLast())
    }
}

/// A value that no line of an environment file can hold.
public struct UnusableValue: Error, Hashable, Sendable, CustomStringConvertible {
    public init() {}

    public var description: String { "A value with a line end fits on no line of an environment file." }
}
