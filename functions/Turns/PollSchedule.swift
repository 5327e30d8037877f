internal import HeapModule

/// When each player's games are looked at: once an interval, each at a moment of its own, which lie evenly over the
/// interval. Pure; times are since any moment.
struct PollSchedule: Sendable {
    /// What became of a look at a player's games.
    enum Outcome: Hashable, Sendable {
        case done
        /// For a reason that is the player's own.
        case failed
        /// The site was not asked, or what came of it says nothing about the player.
        case putOff
    }

    /// The leave to look at a player's games once, to be given back.
    struct Ticket: Hashable, Sendable {
        let player: PlayerID
        /// How often the player had been registered; a later registration is not undone by what an earlier look found.
        fileprivate let registrations: Int
        fileprivate let takenAt: Duration
    }

    private struct Entry {
        let seat: Int
        var registrations = 0
        var failures = 0
        /// Which of the player's items in the queue counts.
        var stamp = 0
        /// When that is due; nil until there is one.
        var due: Duration?
        var isUnderWay = false
        /// Whether that takes one of the places of those who failed the last time.
        var isDoubtful = false
        var lastLook: Int64 = 0

        /// How many turns it is to the next look.
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

    /// From the start, or a registration, to the first look.
    static let firstDelay = Duration.seconds(5)
    /// A player about whom the site has nothing to say is asked after more rarely, up to every so many turns.
    static let mostTurns = 20
    /// The slowest that what is late is caught up with.
    private static let longestSpacing = Duration.milliseconds(100)

    private let interval: Duration
    private let start: Duration
    /// How many of those whose last look failed may be looked at at the same time: the site may let them hang again.
    private let mostDoubtful: Int
    private var doubtful = 0
    private var players: [PlayerID: Entry] = [:]
    private var queue = Heap<Item>()
    private var pace = Pace()
    private var freeSeats: [Int] = []
    private var seats = 0
    private var lastStamp = 0

    /// - Parameters:
    ///   - start: when the gateway started.
    ///   - atOnce: how many are looked at at the same time; half of that for those whose last look failed.
    init(interval: Duration, start: Duration, atOnce: Int = .max) {
        self.interval = interval
        self.start = start
        mostDoubtful = max(1, atOnce / 2)
    }

    var count: Int { players.count }

    /// Seconds since 1970; 0 if never.
    func lastLook(at player: PlayerID) -> Int64 { players[player]?.lastLook ?? 0 }

    // MARK: Who there is

    /// Takes in a player who was registered before the start: the first look is somewhere in the first interval.
    ///
    /// - Parameter jitter: as for every look.
    mutating func load(_ player: PlayerID, jitter: Double = 0) {
        guard players[player] == nil else { return }
        enter(player)
        enqueue(player, at: start + Self.firstDelay + phase(of: player) + wobble(jitter))
    }

    /// Takes in a player who registers, or does so again: whoever registers wants to see it work. Never puts a look off.
    mutating func register(_ player: PlayerID, at now: Duration) {
        if players[player] == nil { enter(player) }
        players[player]?.registrations += 1
        players[player]?.failures = 0
        let due = now + Self.firstDelay
        guard let entry = players[player], !entry.isUnderWay, entry.due.map({ $0 > due }) ?? true else { return }
        enqueue(player, at: due)
    }

    /// Lets go of a player who was found not to be registered, unless that has changed since.
    mutating func remove(_ ticket: Ticket, at now: Duration) {
        giveBackPlace(of: ticket.player)
        guard let entry = players[ticket.player] else { return }
        guard entry.registrations == ticket.registrations else {
            players[ticket.player]?.isUnderWay = false
            return enqueue(ticket.player, at: now + Self.firstDelay)
        }
        players[ticket.player] = nil
        freeSeats.append(entry.seat)
    }

    // MARK: Turns

    /// A player who is to be looked at now, if there is one.
    mutating func next(at now: Duration) -> Ticket? {
        passOverDoubtful(at: now)
        guard let item = queue.min, item.due <= now, pace.delay(at: now) == .zero else { return nil }
        queue.removeMin()
        takePlace(for: item.player)
        pace.take(at: now, spacing: min(interval / (2 * players.count), Self.longestSpacing))
        players[item.player]?.isUnderWay = true
        return Ticket(
            player: item.player, registrations: players[item.player]?.registrations ?? 0, takenAt: now)
    }

    /// How long ``next(at:)`` has nothing; nil while there is nobody.
    mutating func pause(at now: Duration) -> Duration? {
        dropObsoleteItems()
        return queue.min.map { max($0.due - now, pace.delay(at: now)) }
    }

    /// Notes that a player was looked at, or would have been; the next look is at the player's moment, half an interval
    /// from this one at the least. What was missed meanwhile is not made up for.
    ///
    /// - Parameters:
    ///   - date: now by the calendar, in seconds since 1970.
    ///   - jitter: evenly spread in 0..<1; moves the next look by up to a hundredth of the interval.
    mutating func finish(
        _ ticket: Ticket, _ outcome: Outcome, at now: Duration, date: Int64 = 0, jitter: Double = 0
    ) {
        giveBackPlace(of: ticket.player)
        guard var entry = players[ticket.player] else { return }
        entry.note(outcome, date: date)
        players[ticket.player] = entry
        let turns = outcome == .putOff ? 1 : entry.turns
        let earliest = max(ticket.takenAt + interval / 2, now) + interval * (turns - 1)
        enqueue(ticket.player, at: moment(of: ticket.player, after: earliest) + wobble(jitter))
    }

    // MARK: Those whose last look failed

    /// Puts them off by a turn while they have all of their places, so that nobody has to wait for them.
    private mutating func passOverDoubtful(at now: Duration) {
        dropObsoleteItems()
        while doubtful >= mostDoubtful, let item = queue.min, item.due <= now, isDoubtful(item.player) {
            enqueue(item.player, at: moment(of: item.player, after: now + interval / 2))
            dropObsoleteItems()
        }
    }

    private func isDoubtful(_ player: PlayerID) -> Bool { players[player].map { $0.failures > 0 } ?? false }

    private mutating func takePlace(for player: PlayerID) {
        guard isDoubtful(player) else { return }
        players[player]?.isDoubtful = true
        doubtful += 1
    }

    private mutating func giveBackPlace(of player: PlayerID) {
        guard players[player]?.isDoubtful == true else { return }
        players[player]?.isDoubtful = false
        doubtful -= 1
    }

    // MARK: Moments

    /// The first of the player's moments that is not before a time.
    private func moment(of player: PlayerID, after time: Duration) -> Duration {
        let first = start + Self.firstDelay + phase(of: player)
        return first + interval * ((time - first) / interval).rounded(.up)
    }

    /// Multiples of the golden ratio, of which the fractions lie evenly however many there are
    /// (Knuth, The Art of Computer Programming, 6.4).
    private func phase(of player: PlayerID) -> Duration {
        let fraction = UInt64(players[player]?.seat ?? 0) &* 0x9E37_79B9_7F4A_7C15
        return interval * (Double(fraction >> 11) * 0x1p-53)
    }

    private func wobble(_ jitter: Double) -> Duration { interval * (jitter / 100) }

    private mutating func enter(_ player: PlayerID) {
        players[player] = Entry(seat: freeSeats.popLast() ?? seats)
        seats = max(seats, players.count)
    }

    private mutating func enqueue(_ player: PlayerID, at time: Duration) {
        lastStamp += 1
        players[player]?.stamp = lastStamp
        players[player]?.due = time
        queue.insert(Item(due: time, player: player, stamp: lastStamp))
    }

    /// An item is obsolete when its player has gone, or has been put elsewhere in the queue.
    private mutating func dropObsoleteItems() {
        while let item = queue.min, players[item.player]?.stamp != item.stamp { queue.removeMin() }
    }
}
