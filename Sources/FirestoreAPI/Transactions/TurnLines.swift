import DequeModule

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The lines in which transactions stand, one for each thing for which they contend. All lines have the order of
/// arrival, so no two transactions wait for each other.
///
/// A transaction stands in line for the whole of the things that it reads, and for a part of each thing that contains
/// them. Those that want parts of a thing do not wait for each other; if they want the same part, they meet in the line
/// for it.
struct TurnLines: Sendable {
    /// The most transactions in line, and the most that are remembered.
    private static let most = 1_000
    /// The most things of a transaction that stands in line.
    private static let mostThings = 50
    /// The most things for which a transaction looks who stands in line. All others wait meanwhile.
    static let mostLooks = 1_000

    /// A transaction in line.
    private struct Standing {
        /// The number of transactions that came before.
        let number: Int
        let things: Set<ContendedThing>
    }

    private var lines: [ContendedThing: TurnLine] = [:]
    private var standings: [Data: Standing] = [:]
    private var nextNumber = 0
    /// The things that aborted transactions have read.
    private var losers: [Data: Set<ContendedThing>] = [:]
    private var oldestLosers: Deque<Data> = []

    mutating func remember(_ id: Data, _ things: Set<ContendedThing>) {
        guard !things.isEmpty, things.count <= Self.mostThings, losers[id] == nil else { return }
        losers[id] = things
        oldestLosers.append(id)
        if oldestLosers.count > Self.most, let oldest = oldestLosers.popFirst() { losers[oldest] = nil }
    }

    mutating func enter(_ id: Data, insteadOf earlier: Data) {
        if let things = losers[earlier] { stand(id, for: things) }
    }

    /// Puts a transaction in line for those of the first thousand things for which others stand in line.
    mutating func join(_ id: Data, _ wanted: some Sequence<ContendedThing>) {
        guard !lines.isEmpty, standings[id] == nil else { return }
        stand(id, for: Set(wanted.prefix(Self.mostLooks).filter { isContended($0) }))
    }

    /// Returns `true` if a transaction that wants the thing has to wait.
    private func isContended(_ thing: ContendedThing) -> Bool {
        lines[thing] != nil || thing.containers.contains { lines[$0]?.firstForWhole != nil }
    }

    private mutating func stand(_ id: Data, for things: Set<ContendedThing>) {
        guard !things.isEmpty, things.count <= Self.mostThings, standings[id] == nil else { return }
        // Most of them have been abandoned.
        if standings.count >= Self.most { (lines, standings) = ([:], [:]) }
        let place = TurnLine.Place(number: nextNumber, id: id)
        nextNumber += 1
        standings[id] = Standing(number: place.number, things: things)
        for thing in things { lines[thing, default: TurnLine()].addForWhole(place) }
        for container in Self.containers(of: things) { lines[container, default: TurnLine()].addForPart(place) }
    }

    private static func containers(of things: Set<ContendedThing>) -> Set<ContendedThing> {
        Set(things.lazy.flatMap(\.containers))
    }

    /// Returns a transaction that has its turn and for which another one waits, if only for one that waits for it;
    /// `nil` if that other one has its turn.
    func first(before id: Data) -> Data? {
        var first: Data?
        // Each came before the last one.
        while let earlier = obstacle(to: first ?? id) { first = earlier }
        return first
    }

    /// Returns a transaction that came before another one to one of its lines, and may wait itself; `nil` if there is
    /// none.
    private func obstacle(to id: Data) -> Data? {
        guard let standing = standings[id] else { return nil }
        return standing.things.lazy.compactMap { first(before: standing.number, for: $0) }.first
    }

    private func first(before number: Int, for thing: ContendedThing) -> Data? {
        let places: [TurnLine.Place?] = [lines[thing]?.first] + thing.containers.map { lines[$0]?.firstForWhole }
        return places.lazy.compactMap(\.self).first { $0.number < number }?.id
    }

    /// Returns `true` if the transaction stood in line.
    mutating func leave(_ id: Data) -> Bool {
        guard let left = standings.removeValue(forKey: id) else { return false }
        for thing in left.things.union(Self.containers(of: left.things)) {
            lines[thing]?.remove(left.number)
            if lines[thing]?.isEmpty == true { lines[thing] = nil }
        }
        return true
    }
}

/// The line for one thing, in the order of arrival.
struct TurnLine: Sendable {
    /// The place of a transaction.
    struct Place: Sendable {
        /// The number of transactions that came before, to any line.
        let number: Int
        let id: Data
    }

    private var wholes: Deque<Place> = []
    private var parts: Deque<Place> = []

    var isEmpty: Bool { wholes.isEmpty && parts.isEmpty }

    /// The first transaction in line; `nil` if there is none.
    var first: Place? {
        guard let whole = wholes.first, let part = parts.first else { return wholes.first ?? parts.first }
        return part.number < whole.number ? part : whole
    }

    /// The first transaction that stands for the whole thing; `nil` if there is none.
    var firstForWhole: Place? { wholes.first }

    mutating func addForWhole(_ place: Place) { wholes.append(place) }

    mutating func addForPart(_ place: Place) { parts.append(place) }

    mutating func remove(_ number: Int) {
        wholes.removeAll { $0.number == number }
        parts.removeAll { $0.number == number }
    }
}
