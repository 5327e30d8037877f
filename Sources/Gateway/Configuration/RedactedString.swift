/// A secret: compares and is used, but never prints itself.
public struct RedactedString: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The secret itself; keep it out of logs and messages.
    public let value: String

    public init(_ value: String) { self.value = value }

    public var description: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
