/// A counter of distinct texts that needs 8 bytes a text instead of the text.
///
/// It keeps 64-bit hashes (SipHash with a key of the process), so two texts can have the same hash: among a million
/// texts the probability is about 3 in 100 million.
package struct DistinctCounter: Sendable {
    private var hashes: Set<Int> = []

    /// Creates a counter at zero.
    package init() {}

    /// Inserts a text and returns `true` if it is new.
    package mutating func insert(_ text: String) -> Bool {
        hashes.insert(text.hashValue).inserted
    }
}
