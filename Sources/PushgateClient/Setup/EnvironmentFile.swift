public import Foundation

/// The contents of a daemon's environment file (`KEY=value` lines, as systemd's `EnvironmentFile=` and shells read
/// them). Single values can be changed; all other bytes stay the same.
///
/// `pushgate enable` uses it.
public struct EnvironmentFile: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The key of the server's secret.
    public static let secretKey = "CODEAGENTS_PUSH_SECRET"
    /// The key of the gateway's base URL.
    public static let baseURLKey = "CODEAGENTS_PUSH_GATEWAY_BASE_URL"

    /// The lines with their line endings. The last line may have none.
    private var lines: [[UInt8]]

    /// Takes the text of a file, empty if there is none yet.
    public init(_ text: String) { self.init(Data(text.utf8)) }

    /// Creates the contents from bytes.
    ///
    /// - Parameter bytes: The file's bytes, empty if there is no file yet. They need not be valid text.
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

    /// The contents as bytes.
    public var bytes: Data { Data(lines.joined()) }
    /// The contents as text. Invalid UTF-8 is replaced.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The number of lines only, because the lines contain secrets.
    public var description: String { "an environment file of \(lines.count) lines" }
    /// An empty mirror, because the lines contain secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns the value of the key's last assignment, which takes effect, without quotes; `nil` if there is none.
    public func value(of key: String) -> String? {
        lastAssignment(of: key).map { Self.unquoted(String(decoding: $0.assignment.value, as: UTF8.self)) }
    }

    /// Sets the value of a key: in place of its last assignment, with the same quotes, otherwise on a new last line.
    ///
    /// - Throws: ``UnusableValue`` if the value contains a line end or a NUL, which would end it early.
    public mutating func set(_ key: String, to value: String) throws(UnusableValue) {
        guard !value.unicodeScalars.contains(where: { ["\n", "\r", "\0"].contains($0) }) else { throw UnusableValue() }
        put(value, for: key)
    }

    /// Sets the value of a key. The value must not contain a line end.
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

/// An error for a value that a line of an environment file cannot contain.
public struct UnusableValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// Makes the error that ``EnvironmentFile/set(_:to:)`` throws.
    public init() {}

    /// The error as a sentence.
    public var description: String { "A line of an environment file cannot contain a value with a line end." }
}

extension EnvironmentFile {
    /// Connects the daemon to a gateway: sets the base URL, and a secret unless there is one. Restart the daemon if the
    /// ``bytes`` have changed.
    ///
    /// - Parameters:
    ///   - gateway: The base URL for the daemon.
    ///   - makeSecret: A function that returns a new secret.
    /// - Returns: The server's existing or new secret, for the Keychain.
    /// - Throws: ``UnusableSecret`` if the existing secret cannot be used. It is not replaced, because other devices
    ///   may have it.
    public mutating func enablePush(
        gateway: GatewayURL, makeSecret: () -> PushSecret = PushSecret.random
    ) throws(UnusableSecret) -> PushSecret {
        let secret = try existingSecret() ?? makeSecret()
        if value(of: Self.secretKey) != secret.value { put(secret.value, for: Self.secretKey) }
        if value(of: Self.baseURLKey) != gateway.text { put(gateway.text, for: Self.baseURLKey) }
        return secret
    }

    private func existingSecret() throws(UnusableSecret) -> PushSecret? {
        guard let text = value(of: Self.secretKey), !text.trimmingBlanks().isEmpty else { return nil }
        guard let secret = PushSecret(text) else { throw UnusableSecret() }
        return secret
    }
}

/// An error for a `CODEAGENTS_PUSH_SECRET` in the file that a request cannot contain. Remove or correct the line.
public struct UnusableSecret: Error, Hashable, Sendable {
    /// Makes the error that ``EnvironmentFile/enablePush(gateway:makeSecret:)`` throws.
    public init() {}
}

/// A line that assigns a value to a key. Blanks and `export` before the key are permitted and kept.
struct Assignment {
    let key: String
    /// Everything up to the equals sign, the sign, and blanks after it.
    let prefix: [UInt8]
    let value: [UInt8]
    let ending: [UInt8]

    init?(_ line: [UInt8]) {
        ending = Self.ending(of: line)
        let text = line.dropLast(ending.count)
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        var name = String(decoding: text[..<equals], as: UTF8.self).split(separator: " ").flatMap {
            $0.split(separator: "\t")
        }
        if name.first == "export" { name.removeFirst() }
        guard name.count == 1, let key = name.first, !key.hasPrefix("#") else { return nil }
        self.key = String(key)
        let blanks = text[(equals + 1)...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        prefix = Array(text[...equals]) + Array(blanks)
        value = Self.withoutBlanksAtEnd(Array(text.dropFirst(prefix.count)))
    }

    /// Returns the line ending: `\r\n`, `\n` or nothing.
    static func ending(of line: [UInt8]) -> [UInt8] {
        guard line.last == UInt8(ascii: "\n") else { return [] }
        return line.dropLast().last == UInt8(ascii: "\r") ? Array("\r\n".utf8) : Array("\n".utf8)
    }

    private static func withoutBlanksAtEnd(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while let last = bytes.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { bytes.removeLast() }
        return bytes
    }
}
