/// Tells whether a text has been seen before, in 8 bytes a text rather than in the text.
///
/// It keeps 64-bit hashes (SipHash with a key of the process), so two texts can be taken for one: among a million, with
/// a chance of about 3 in 100 million.
struct DistinctCounter: Sendable {
    private var hashes: Set<Int> = []

    var count: Int { hashes.count }

    /// Whether the text is new.
    mutating func insert(_ text: String) -> Bool {
        hashes.insert(text.hashValue).inserted
    }
}
