/// A dictionary of bounded size. Once it is full, a new key takes the place of the least of a few others.
///
/// The few are the next ones in turn, so an insertion costs the same however large the table is, and a key with a high
/// value stays while there are lower ones around it.
struct BoundedTable<Key: Hashable & Sendable, Value: Comparable & Sendable>: Sendable {
    private static var candidates: Int { 8 }

    private let capacity: Int
    private var slots: [(key: Key, value: Value)] = []
    private var places: [Key: Int] = [:]
    /// The slot that is considered next.
    private var hand = 0

    /// - Parameter capacity: at least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    subscript(key: Key) -> Value? { places[key].map { slots[$0].value } }

    mutating func set(_ value: Value, for key: Key) {
        if let place = places[key] {
            slots[place].value = value
        } else if slots.count < capacity {
            places[key] = slots.count
            slots.append((key, value))
        } else {
            let place = leastOfNext()
            places[slots[place].key] = nil
            places[key] = place
            slots[place] = (key, value)
        }
    }

    private mutating func leastOfNext() -> Int {
        var least = hand
        for step in 1..<min(Self.candidates, slots.count) {
            let place = (hand + step) % slots.count
            if slots[place].value < slots[least].value { least = place }
        }
        hand = (hand + Self.candidates) % slots.count
        return least
    }
}
