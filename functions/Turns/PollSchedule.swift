import HeapModule

/// The schedule of the polls: each player once per interval, at a time of the player's own. These times are evenly
/// distributed over the interval. The schedule has no I/O; times count from an arbitrary moment.
struct PollSchedule: Sendable {
    /// The outcome of a poll of a player's games.
    enum Outcome: Hashable, Sendable {
        case done
        /// The poll failed for a reason related to the player.
        case failed
        /// The site was not asked, or the failure says nothing about the player.
        case putOff
    }

    /// A permit for one poll of a player's games, which the caller returns.
    struct PollPermit: Hashable, Sendable {
        let player: PlayerID
        /// The number of registrations at the time of the permit. The result of a poll does not undo a later
        /// registration.
        fileprivate let registrations: Int
        fileprivate let takenAt: Duration
    }

    private struct Entry {
        let slot: Int
        var registrations = 0
        var failures = 0
        /// The number of the player's valid item in the queue.
        var stamp = 0
        /// The due time of that item; `nil` until there is one.
        var due: Duration?
        var isUnderWay = false
        /// `true` if the poll uses one of the slots for players whose last poll failed.
        var isSuspect = false
        var lastLook: Int64?

        /// The number of intervals until the next poll.
        var turns: Int { min(1 << min(max(failures - 2, 0), 10), PollSchedule.mostTurns) }

        mutating func note(_ outcome: Outcome, date: Int64) {
            isUnderWay = false
            guard outcome != .putOff else { return }
            failures = outcome == .failed ? failures + 1 : 0
            lastLook = date
        }
    }

    private struct Item: Comparable {
        let due: Duration
        let player: PlayerID
        let stamp: Int

        static func < (left: Item, right: Item) -> Bool { left.due < right.due }
    }

    /// The delay from the start, or from a registration, to the first poll.
    static let firstDelay = Duration.seconds(5)
    /// The maximum number of intervals between polls of a player whose polls keep failing.
    static let mostTurns = 20
    /// The longest time between overdue polls.
    private static let longestSpacing = Duration.milliseconds(100)

    private let interval: Duration
    private let start: Duration
    /// The maximum number of concurrent polls of players whose last poll failed, because the site may again not
    /// respond.
    private let mostDoubtful: Int
    private var doubtful = 0
    private var players: [PlayerID: Entry] = [:]
    private var queue = Heap<Item>()
    private var pace = Pace()
    private var freeSlots: [Int] = []
    private var slots = 0
    private var lastStamp = 0

    /// - Parameters:
    ///   - start: The start of the gateway.
    ///   - atOnce: The maximum number of concurrent polls; half of it applies to players whose last poll failed.
    init(interval: Duration, start: Duration, atOnce: Int = .max) {
        self.interval = interval
        self.start = start
        mostDoubtful = max(1, atOnce / 2)
    }

    var count: Int { players.count }

    /// Returns the time of the player's last poll, in seconds since 1970; `nil` if there was none.
    func lastLook(at player: PlayerID) -> Int64? { players[player]?.lastLook }

    // MARK: Players

    /// Adds a player who was registered before the start. The first poll is within the first interval.
    ///
    /// - Parameter jitter: A random number, as in every poll.
    mutating func load(_ player: PlayerID, jitter: Double = 0) {
        guard players[player] == nil else { return }
        enter(player)
        enqueue(player, at: start + Self.firstDelay + phase(of: player) + delay(by: jitter))
    }

    /// Adds a player who registers, for the first time or again. The first poll follows soon, so that the user sees a
    /// result; an earlier poll is never postponed.
    mutating func register(_ player: PlayerID, at now: Duration) {
        if players[player] == nil { enter(player) }
        players[player]?.registrations += 1
        players[player]?.failures = 0
        let due = now + Self.firstDelay
        guard let entry = players[player], !entry.isUnderWay, entry.due.map({ $0 > due }) ?? true else { return }
        enqueue(player, at: due)
    }

    /// Removes a player who was found not to be registered, unless a registration has followed.
    mutating func remove(_ permit: PollPermit, at now: Duration) {
        giveBackPlace(of: permit.player)
        guard let entry = players[permit.player] else { return }
        guard entry.registrations == permit.registrations else {
            players[permit.player]?.isUnderWay = false
            return enqueue(permit.player, at: now + Self.firstDelay)
        }
        players[permit.player] = nil
        freeSlots.append(entry.slot)
    }

    // MARK: Polls

    /// Returns a permit for a player whose poll is due, or `nil` if there is none.
    mutating func next(at now: Duration) -> PollPermit? {
        passOverDoubtful(at: now)
        guard let item = queue.min, item.due <= now, pace.delay(at: now) == .zero else { return nil }
        queue.removeMin()
        takePlace(for: item.player)
        pace.take(at: now, spacing: min(interval / (2 * players.count), Self.longestSpacing))
        players[item.player]?.isUnderWay = true
        return PollPermit(
            player: item.player, registrations: players[item.player]?.registrations ?? 0, takenAt: now)
    }

    /// Returns the time until ``next(at:)`` may have a permit; `nil` without players.
    mutating func pause(at now: Duration) -> Duration? {
        dropObsoleteItems()
        return queue.min.map { max($0.due - now, pace.delay(at: now)) }
    }

    /// Notes the outcome of a poll. The next poll is at the player's time, at least half an interval after this one.
    /// Missed polls are not made up for.
    ///
    /// - Parameters:
    ///   - date: The wall-clock time, in seconds since 1970.
    ///   - jitter: A random number, evenly distributed in 0..<1. It delays the next poll by up to a hundredth of the
    ///     interval.
    mutating func finish(
        _ permit: PollPermit, _ outcome: Outcome, at now: Duration, date: Int64 = 0, jitter: Double = 0
    ) {
        giveBackPlace(of: permit.player)
        guard var entry = players[permit.player] else { return }
        entry.note(outcome, date: date)
        players[permit.player] = entry
        let turns = outcome == .putOff ? 1 : entry.turns
        let earliest = max(permit.takenAt + interval / 2, now) + interval * (turns - 1)
        enqueue(permit.player, at: moment(of: permit.player, after: earliest) + delay(by: jitter))
    }

    // MARK: Players whose last poll failed

    /// Postpones these players by an interval while all their slots are in use, so they do not delay others.
    private mutating func passOverDoubtful(at now: Duration) {
        dropObsoleteItems()
        while doubtful >= mostDoubtful, let item = queue.min, item.due <= now, isSuspect(item.player) {
            enqueue(item.player, at: moment(of: item.player, after: now + interval / 2))
            dropObsoleteItems()
        }
    }

    private func isSuspect(_ player: PlayerID) -> Bool { players[player].map { $0.failures > 0 } ?? false }

    private mutating func takePlace(for player: PlayerID) {
        guard isSuspect(player) else { return }
        players[player]?.isSuspect = true
        doubtful += 1
    }

    private mutating func giveBackPlace(of player: PlayerID) {
        guard players[player]?.isSuspect == true else { return }
        players[player]?.isSuspect = false
        doubtful -= 1
    }

    // MARK: Times

    /// Returns the first of the player's times that is not before the given time.
    private func moment(of player: PlayerID, after time: Duration) -> Duration {
        let first = start + Self.firstDelay + phase(of: player)
        return first + interval * ((time - first) / interval).rounded(.up)
    }

    /// Returns a fraction of a multiple of the golden ratio. These are evenly distributed for any number of players
    /// (Knuth, The Art of Computer Programming, 6.4).
    private func phase(of player: PlayerID) -> Duration {
        let fraction = UInt64(players[player]?.slot ?? 0) &* 0x9E37_79B9_7F4A_7C15
        return interval * (Double(fraction >> 11) * 0x1p-53)
    }

    private func delay(by jitter: Double) -> Duration { interval * (jitter / 100) }

    private mutating func enter(_ player: PlayerID) {
        players[player] = Entry(slot: freeSlots.popLast() ?? slots)
        slots = max(slots, players.count)
    }

    private mutating func enqueue(_ player: PlayerID, at time: Duration) {
        lastStamp += 1
        players[player]?.stamp = lastStamp
        players[player]?.due = time
        queue.insert(Item(due: time, player: player, stamp: lastStamp))
    }

    /// Removes items whose player is gone or has a newer item.
    private mutating func dropObsoleteItems() {
        while let item = queue.min, players[item.player]?.stamp != item.stamp { queue.removeMin() }
    }
}

/// A leaky bucket that spreads overdue requests evenly. It has no I/O; times count from an arbitrary moment.
struct Pace: Sendable {
    /// The allowed lead over the even rate, so that a process that was briefly not scheduled can catch up.
    private static let tolerance = Duration.milliseconds(100)

    /// The time of the next request at an even rate.
    private var next = Duration.zero

    /// Returns the time until one more request is allowed.
    func delay(at now: Duration) -> Duration { max(.zero, next - Self.tolerance - now) }

    /// - Parameter spacing: The time between two requests if many are waiting.
    mutating func take(at now: Duration, spacing: Duration) { next = max(next, now) + spacing }
}
