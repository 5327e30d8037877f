import DocumentStore

/// A document with its distance from a searched vector.
struct Neighbor: Sendable {
    let document: Document
    let distance: Double
    /// The place of the distance: less is nearer.
    let rank: Double
    /// The number of the query's results before the document.
    let place: Int

    /// Returns `true` if this is nearer, or at the same distance and earlier in the query's order. NaN is further than
    /// any number.
    func precedes(_ other: Neighbor) -> Bool {
        if rank != other.rank { return rank < other.rank }
        if distance.isNaN != other.distance.isNaN { return other.distance.isNaN }
        return place < other.place
    }
}

/// The nearest documents so far, at most a given number. Memory does not grow with the number of candidates.
///
/// This is a binary heap with the furthest one at its root, which gives way to a nearer one.
struct NeighborHeap: Sendable {
    private let limit: Int
    private var heap: [Neighbor] = []

    init(limit: Int) { self.limit = limit }

    /// The number of documents.
    var count: Int { heap.count }

    /// The documents, the nearest first.
    var sorted: [Neighbor] { heap.sorted { $0.precedes($1) } }

    /// Adds a candidate if it is among the nearest.
    mutating func add(_ neighbor: Neighbor) {
        if heap.count < limit {
            heap.append(neighbor)
            moveUp()
        } else if let furthest = heap.first, neighbor.precedes(furthest) {
            heap[0] = neighbor
            moveDown()
        }
    }

    private mutating func moveUp() {
        var place = heap.count - 1
        while place > 0, heap[(place - 1) / 2].precedes(heap[place]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func moveDown() {
        var place = 0
        while let child = furthestChild(of: place), heap[place].precedes(heap[child]) {
            heap.swapAt(place, child)
            place = child
        }
    }

    private func furthestChild(of place: Int) -> Int? {
        let (left, right) = (2 * place + 1, 2 * place + 2)
        guard left < heap.count else { return nil }
        return right < heap.count && heap[left].precedes(heap[right]) ? right : left
    }
}
