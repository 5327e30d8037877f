#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The ids of the transactions that ended last. Memory holds a limited number: at least one generation, at most two.
struct EndedTransactions: Sendable {
    private let generation: Int
    private var latest: Set<Data> = []
    private var earlier: Set<Data> = []
    /// `true` if ids were forgotten.
    private(set) var isIncomplete = false

    /// Makes an empty set.
    ///
    /// - Parameter generation: the number of ids that are remembered at least.
    init(generation: Int) { self.generation = generation }

    func contains(_ id: Data) -> Bool { latest.contains(id) || earlier.contains(id) }

    /// Remembers an id, and forgets the oldest generation if there are too many.
    mutating func insert(_ id: Data) {
        if latest.count >= generation {
            isIncomplete = isIncomplete || !earlier.isEmpty
            earlier = latest
            latest = []
        }
        latest.insert(id)
    }
}
