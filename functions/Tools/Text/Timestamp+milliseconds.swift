internal import DocumentStore

extension Timestamp {
    /// `YYYY-MM-DDTHH:MM:SS.fffZ`, as JavaScript writes a date: some readers of apps take no other length of fraction.
    var inMilliseconds: String { description.prefix(23) + "Z" }
}
