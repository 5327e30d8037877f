/// The numbers of chunks by collapse key, in constant memory: keys may share a number, so it may be too high.
struct KeyCounts: Sendable {
    private static let size = 1 << 16
    private var counts = [UInt32](repeating: 0, count: size)

    mutating func add(_ key: CollapseKey?) {
        guard let key else { return }
        let position = Self.position(of: key)
        if counts[position] < .max { counts[position] += 1 }
    }

    mutating func remove(_ key: CollapseKey?) {
        guard let key else { return }
        let position = Self.position(of: key)
        // The greatest number is not known exactly.
        if counts[position] > 0, counts[position] < .max { counts[position] -= 1 }
    }

    /// Returns `false` if no chunk has the key.
    func mayContain(_ key: CollapseKey) -> Bool { counts[Self.position(of: key)] > 0 }

    private static func position(of key: CollapseKey) -> Int { key.hashValue & (size - 1) }
}
