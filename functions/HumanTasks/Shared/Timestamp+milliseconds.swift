import DocumentStore

extension Timestamp {
    /// The time as `YYYY-MM-DDTHH:MM:SS.fffZ`, the form of JavaScript dates. Some parsers in apps accept no other
    /// number of fractional digits.
    var inMilliseconds: String { description.prefix(23) + "Z" }
}
