/// A secret that can be compared and used, but that prints as `<redacted>`.
package struct RedactedString: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The secret itself; do not put it into logs or error texts.
    package let value: String

    /// Wraps a secret.
    package init(_ value: String) { self.value = value }

    /// The text `<redacted>`.
    package var description: String { "<redacted>" }
    /// A mirror without children, so that a dump does not show the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
