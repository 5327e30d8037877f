package import DocumentStore

extension Timestamp {
    /// The time for people, to the second: `2026-01-31 12:00:00 UTC`.
    package var text: String { "\(description.prefix(19).replacing("T", with: " ")) UTC" }
}
