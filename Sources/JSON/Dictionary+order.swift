extension Dictionary where Key == String {
    /// Visits the members in an order of their names, in no memory of its own if they are few.
    @inlinable
    package func forEach(sortedBy precedes: (String, String) -> Bool, _ visit: (String, Value) -> Void) {
        withUnsafeTemporaryAllocation(of: Index.self, capacity: count) { places in
            var places = places
            _ = places.initialize(from: indices)
            places.sort { precedes(self[$0].key, self[$1].key) }
            for place in places { visit(self[place].key, self[place].value) }
            places.deinitialize()
        }
    }
}
