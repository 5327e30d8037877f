import DocumentStore

/// The order in which notifications in memory are handed to a push service, without I/O.
///
/// Notifications that concern each other form a line. In a line of messages that replace each other, a new member takes
/// the places of those that still wait, and itself waits for the answer to the one in flight: the last one that was
/// accepted is the last one at the push service. In any other line, members leave in the order in which they came.
///
/// A notification is in its line from the moment it waits in memory until it is answered or goes back to the disk.
struct SendingOrder<Waiter> {
    /// The answer to a notification that is about to be sent.
    enum Turn {
        case send
        /// The waiter is given out later.
        case wait
        /// A newer message has taken its place.
        case superseded
    }

    private enum Phase {
        /// It waits for its turn, with a waiter once it was about to be sent.
        case waiting(Waiter?)
        case sending
        /// It failed, and goes back to the disk.
        case failed
    }

    private struct Member {
        let place: NotificationPlace
        var phase = Phase.waiting(nil)
        var isSuperseded = false

        var waiter: Waiter? { if case .waiting(let waiter) = phase { waiter } else { nil } }
        var isWaiting: Bool { if case .waiting = phase { true } else { false } }
        var isSending: Bool { if case .sending = phase { true } else { false } }
        var hasFailed: Bool { if case .failed = phase { true } else { false } }
    }

    /// The members of a line. Nearly all lines have one, which is inline, so that nothing is allocated for it.
    private struct Members {
        private(set) var first: Member
        private(set) var rest: [Member] = []

        init(first: Member) { self.first = first }

        init?(_ members: [Member]) {
            guard let first = members.first else { return nil }
            self.first = first
            rest = Array(members.dropFirst())
        }

        var all: [Member] { [first] + rest }

        func position(of place: NotificationPlace) -> Int? {
            if first.place == place { return 0 }
            return rest.firstIndex { $0.place == place }.map { $0 + 1 }
        }

        func isSuperseded(at position: Int) -> Bool {
            position == 0 ? first.isSuperseded : rest[position - 1].isSuperseded
        }

        /// Returns `true` if one before a position has not failed.
        func hasOpen(before position: Int) -> Bool { position > 0 && all[..<position].contains { !$0.hasFailed } }

        func adding(_ member: Member) -> Members {
            var members = self
            members.rest.append(member)
            return members
        }

        mutating func setPhase(_ phase: Phase, at position: Int) {
            if position == 0 { first.phase = phase } else { rest[position - 1].phase = phase }
        }

        /// Removes one of at least two members.
        mutating func remove(at position: Int) {
            if position == 0 { first = rest.removeFirst() } else { rest.remove(at: position - 1) }
        }

        /// Gives the turn to the first notification that has not failed, if that waits for it.
        mutating func next() -> Waiter? {
            guard let position = all.firstIndex(where: { !$0.hasFailed }), let waiter = all[position].waiter else {
                return nil
            }
            setPhase(.sending, at: position)
            return waiter
        }
    }

    private var lines: [SendingLine: Members] = [:]

    /// `true` if no notification is in memory.
    var isEmpty: Bool { lines.isEmpty }

    // MARK: Members

    /// Adds a notification at the end of its line.
    ///
    /// - Parameter isNew: `true` if its message has just been accepted, so that it is newer than all others. Any other,
    ///   also one of a page that was cut later, is superseded if its line has one of a message that was accepted later.
    /// - Returns: the waiters of the notifications that it supersedes.
    mutating func add(_ place: NotificationPlace, to line: SendingLine, isNew: Bool) -> [Waiter] {
        change(line) { members in
            var waiters: [Waiter] = []
            if line.isCollapsible, let others = members?.all {
                // The ids of messages are in the order of their acceptance.
                let id = place.chunk.message
                guard isNew || !others.contains(where: { $0.place.chunk.message > id }) else { return [] }
                // A message that names an address twice does not replace itself.
                if !others.contains(where: { $0.place.chunk.message == id }) {
                    waiters = Self.supersede(&members, before: isNew ? nil : id)
                }
            }
            let member = Member(place: place)
            members = members?.adding(member) ?? Members(first: member)
            return waiters
        }
    }

    /// Changes the members of a line, which exists as long as it has some. The line is looked up once: the hash of its
    /// token costs more than the rest.
    private mutating func change<Result>(_ line: SendingLine, _ body: (inout Members?) -> Result) -> Result {
        body(&lines[line])
    }

    /// Removes the notifications of a line that wait, because a newer message replaces them.
    ///
    /// - Parameter message: the id of that message, if others of the line may be newer; `nil` if all are older.
    /// - Returns: their waiters.
    mutating func supersede(_ line: SendingLine, before message: String? = nil) -> [Waiter] {
        change(line) { Self.supersede(&$0, before: message) }
    }

    private static func supersede(_ members: inout Members?, before message: String?) -> [Waiter] {
        var (left, waiters): ([Member], [Waiter]) = ([], [])
        for var member in members?.all ?? [] {
            let isOlder = message.map { member.place.chunk.message < $0 } ?? true
            if isOlder, member.isWaiting {
                if let waiter = member.waiter { waiters.append(waiter) }
            } else {
                member.isSuperseded = member.isSuperseded || isOlder
                left.append(member)
            }
        }
        members = Members(left)
        return waiters
    }

    /// Returns the notifications that a new message in a line replaces.
    func places(in line: SendingLine) -> [NotificationPlace] { lines[line]?.all.map(\.place) ?? [] }

    /// Removes a notification that goes back to the disk.
    ///
    /// - Returns: the waiter of the next one, whose turn has come.
    mutating func remove(_ place: NotificationPlace, from line: SendingLine) -> Waiter? {
        change(line) { Self.remove(place, from: &$0) }
    }

    private static func remove(_ place: NotificationPlace, from members: inout Members?) -> Waiter? {
        guard let position = members?.position(of: place) else { return nil }
        guard members?.rest.isEmpty == false else {
            members = nil
            return nil
        }
        members?.remove(at: position)
        return members?.next()
    }

    /// Returns `true` unless newer messages have taken the places of all notifications of a job that has entered.
    func contains(_ job: ChunkJob) -> Bool {
        guard job.chunk.collapseKey != nil else { return true }
        for (index, entry) in job.chunk.entries.enumerated() where entry.state == .pending && !entry.isReplaced {
            guard let target = entry.target else { continue }
            if lines[job.line(of: target)]?.position(of: job.place(index)) != nil { return true }
        }
        return false
    }

    // MARK: Sending

    /// Begins to send a notification if it is its turn.
    ///
    /// - Parameter waiter: kept if it has to wait, and given out when its turn has come or it is superseded.
    mutating func begin(
        _ place: NotificationPlace, in line: SendingLine, waiter: @autoclosure () -> Waiter
    ) -> Turn {
        change(line) { members in
            guard let position = members?.position(of: place) else { return line.isCollapsible ? .superseded : .send }
            let hasToWait = members?.hasOpen(before: position) == true
            members?.setPhase(hasToWait ? .waiting(waiter()) : .sending, at: position)
            return hasToWait ? .wait : .send
        }
    }

    /// Ends a notification. In a line of messages that replace each other, it was answered, or the next one waits no
    /// longer for that; in any other line, the transport has it.
    ///
    /// - Parameter hasFailed: `true` if it is to be sent again. It stays in its line until it is on disk again, because
    ///   a new message replaces it in that time too.
    /// - Returns: `true` if a newer message has been accepted meanwhile; and the waiter of the next one, whose turn has
    ///   come.
    mutating func end(
        _ place: NotificationPlace, in line: SendingLine, hasFailed: Bool = false
    ) -> (isSuperseded: Bool, next: Waiter?) {
        change(line) { members in
            guard let position = members?.position(of: place),
                let isSuperseded = members?.isSuperseded(at: position)
            else { return (false, nil) }
            guard hasFailed, !isSuperseded else { return (isSuperseded, Self.remove(place, from: &members)) }
            members?.setPhase(.failed, at: position)
            return (false, members?.next())
        }
    }

    /// Returns the notification in flight for whose answer another one waits; `nil` if that one does not wait.
    func predecessor(of place: NotificationPlace, in line: SendingLine) -> NotificationPlace? {
        guard let members = lines[line]?.all, members.contains(where: { $0.place == place && $0.isWaiting }) else {
            return nil
        }
        return members.first(where: \.isSending)?.place
    }
}

/// The notifications that concern each other.
enum SendingLine: Hashable, Sendable {
    /// Messages to one address that replace each other; see ``Chunk/lineToken(of:)``.
    case collapsible(CollapseKey, RegistrationToken)
    /// Other messages of one sender to one address.
    case plain(sender: String, PushAddress)

    var isCollapsible: Bool { if case .collapsible = self { true } else { false } }
}

/// A notification by its place: one target of a chunk.
struct NotificationPlace: Hashable, Sendable {
    let chunk: ChunkID
    /// `true` if the chunk is stored in its message's document.
    let isInMessage: Bool
    let index: Int
}

extension Chunk {
    func place(_ index: Int) -> NotificationPlace {
        NotificationPlace(chunk: id, isInMessage: isInMessage, index: index)
    }
}

extension ChunkJob {
    /// Returns the line of a target: with a collapse id that of its token, otherwise that of the sender and the
    /// address.
    func line(of target: Target) -> SendingLine {
        if let key = chunk.collapseKey { return .collapsible(key, chunk.lineToken(of: target)) }
        return .plain(sender: message.owner, target.address)
    }

    func place(_ index: Int) -> NotificationPlace { chunk.place(index) }

    /// Calls the closure for each pending target that no newer message replaces, with its place and its line.
    func forEachPlace(_ body: (NotificationPlace, SendingLine) -> Void) {
        for index in chunk.entries.indices {
            let entry = chunk.entries[index]
            guard entry.state == .pending, !entry.isReplaced, let target = entry.target else { continue }
            body(place(index), line(of: target))
        }
    }
}
