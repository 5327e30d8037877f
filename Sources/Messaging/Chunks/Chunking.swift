import DocumentStore

/// The division of a message's targets into chunks.
enum Chunking {
    /// FCM's own limit on a multicast.
    static let maximumTargets = 500
    /// The maximum size of the stored targets. Tokens may be 4,096 characters long, and 500 of those would not fit
    /// into a document of 1 MiB.
    static let maximumBytes = 512 * 1024

    /// Returns the targets in chunks by lane, each within the limits. The order is kept within a lane.
    ///
    /// - Parameters:
    ///   - collection: the collection of the registrations, if they are known to be in one.
    ///   - firstNumber: the number of chunks that a broadcast already has; `nil` for a message that is cut all at once.
    static func chunks(
        of targets: [Target], below collection: CollectionPath? = nil, message: String, firstNumber: Int? = nil,
        dueAt: Timestamp
    ) -> [Chunk] {
        func chunk(_ number: Int, _ lane: Lane, _ targets: ArraySlice<Target>) -> Chunk {
            Chunk(
                id: ChunkID(message: message, number: (firstNumber ?? 0) + number),
                isInMessage: firstNumber == nil && number == 0, lane: lane,
                entries: targets.map { Chunk.Entry(target: $0) }, below: collection, attempts: 0, dueAt: dueAt)
        }
        // Most messages have one target.
        if targets.count == 1, let target = targets.first { return [chunk(0, target.address.lane, targets[...])] }
        var chunks: [Chunk] = []
        for (lane, targets) in lanes(of: targets) {
            for slice in slices(of: targets) { chunks.append(chunk(chunks.count, lane, slice)) }
        }
        return chunks
    }

    private static func lanes(of targets: [Target]) -> [(Lane, [Target])] {
        guard let first = targets.first?.address.lane else { return [] }
        // A comparison is faster than a hash.
        if targets.dropFirst().allSatisfy({ $0.address.lane == first }) { return [(first, targets)] }
        var positions: [Lane: Int] = [:]
        var lanes: [(Lane, [Target])] = []
        for target in targets {
            let lane = target.address.lane
            if let position = positions[lane] {
                lanes[position].1.append(target)
            } else {
                positions[lane] = lanes.count
                lanes.append((lane, [target]))
            }
        }
        return lanes
    }

    private static func slices(of targets: [Target]) -> [ArraySlice<Target>] {
        var slices: [ArraySlice<Target>] = []
        var start = 0
        var bytes = 0
        for (index, target) in targets.enumerated() {
            let size = storedSize(of: target)
            if index > start, index - start == maximumTargets || bytes + size > maximumBytes {
                slices.append(targets[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += size
        }
        slices.append(targets[start...])
        return slices
    }

    private static func storedSize(of target: Target) -> Int {
        let path = target.registration?.description.utf8.count ?? 0
        return target.address.token.value.utf8.count + target.address.attributes.storedSize + path + 128
    }
}
