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

    private var lines: [SendingLine: [Member]] = [:]

    /// `true` if no notification is in memory.
    var isEmpty: Bool { lines.isEmpty }

    // MARK: Members

    /// Adds a notification at the end of its line.
    ///
    /// - Parameter isNew: `true` if its message has just been accepted, so that it is newer than all others. Any other
    ///   is superseded if its line has one of a message that was accepted later.
    /// - Returns: the waiters of the notifications that it supersedes.
    mutating func add(_ place: NotificationPlace, to line: SendingLine, isNew: Bool) -> [Waiter] {
        var waiters: [Waiter] = []
        if line.isCollapsible, lines[line] != nil {
            // The ids of messages are in the order of their acceptance.
            let id = place.chunk.message
            guard isNew || !hasMember(of: line, where: { $0 > id }) else { return [] }
            // A message that names an address twice does not replace itself.
            if !hasMember(of: line, where: { $0 == id }) { waiters = supersede(line) }
        }
        lines[line, default: []].append(Member(place: place))
        return waiters
    }

    /// Returns `true` if a line has a notification of a message whose id meets a condition.
    private func hasMember(of line: SendingLine, where condition: (String) -> Bool) -> Bool {
        lines[line]?.contains { condition($0.place.chunk.message) } ?? false
    }

    /// Removes the notifications of a line that wait, because a newer message replaces them.
    ///
    /// - Returns: their waiters.
    mutating func supersede(_ line: SendingLine) -> [Waiter] {
        guard let members = lines[line] else { return [] }
        var left = members.filter { !$0.isWaiting }
        for index in left.indices { left[index].isSuperseded = true }
        lines[line] = left.isEmpty ? nil : left
        return members.compactMap(\.waiter)
    }

    /// Returns the notifications that a new message in a line replaces.
    func places(in line: SendingLine) -> [NotificationPlace] { lines[line]?.map(\.place) ?? [] }

    /// Removes a notification that goes back to the disk.
    ///
    /// - Returns: the waiter of the next one, whose turn has come.
    mutating func remove(_ place: NotificationPlace, from line: SendingLine) -> Waiter? {
        guard let position = position(of: place, in: line) else { return nil }
        lines[line]?.remove(at: position)
        if lines[line]?.isEmpty == true { lines[line] = nil }
        return next(in: line)
    }

    /// Gives the turn to the first notification of a line that has not failed, if that waits for it.
    private mutating func next(in line: SendingLine) -> Waiter? {
        guard let position = lines[line]?.firstIndex(where: { !$0.hasFailed }),
            let waiter = lines[line]?[position].waiter
        else { return nil }
        lines[line]?[position].phase = .sending
        return waiter
    }

    // MARK: Sending

    /// Begins to send a notification if it is its turn.
    ///
    /// - Parameter waiter: kept if it has to wait, and given out when its turn has come or it is superseded.
    mutating func begin(
        _ place: NotificationPlace, in line: SendingLine, waiter: @autoclosure () -> Waiter
    ) -> Turn {
        guard let position = position(of: place, in: line) else { return line.isCollapsible ? .superseded : .send }
        let hasToWait = lines[line]?[..<position].contains { !$0.hasFailed } ?? false
        lines[line]?[position].phase = hasToWait ? .waiting(waiter()) : .sending
        return hasToWait ? .wait : .send
    }

    /// Ends a notification. In a line of messages that replace each other, it was answered, or the next one waits no
    /// longer for that; in any other line, the transport has it.
    ///
    /// - Parameter hasFailed: `true` if it is to be sent again. It stays in its line until it is on disk again, because a
    ///   new message replaces it in that time too.
    /// - Returns: `true` if a newer message has been accepted meanwhile; and the waiter of the next one, whose turn has
    ///   come.
    mutating func end(
        _ place: NotificationPlace, in line: SendingLine, hasFailed: Bool = false
    ) -> (isSuperseded: Bool, next: Waiter?) {
        guard let position = position(of: place, in: line), let member = lines[line]?[position] else {
            return (false, nil)
        }
        guard hasFailed, !member.isSuperseded else { return (member.isSuperseded, remove(place, from: line)) }
        lines[line]?[position].phase = .failed
        return (false, next(in: line))
    }

    private func position(of place: NotificationPlace, in line: SendingLine) -> Int? {
        lines[line]?.firstIndex { $0.place == place }
    }

    /// Returns the notification in flight for whose answer another one waits; `nil` if that one does not wait.
    func predecessor(of place: NotificationPlace, in line: SendingLine) -> NotificationPlace? {
        guard let members = lines[line], members.contains(where: { $0.place == place && $0.isWaiting }) else {
            return nil
        }
        return members.first(where: \.isSending)?.place
    }
}

/// The notifications that concern each other.
enum SendingLine: Hashable, Sendable {
    /// Messages to one address that replace each other.
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
    /// Returns the line of a target.
    func line(of target: Target) -> SendingLine {
        if let key = chunk.collapseKey { return .collapsible(key, target.address.token) }
        return .plain(sender: message.owner, target.address)
    }

    func place(_ index: Int) -> NotificationPlace { chunk.place(index) }

    /// The pending targets that no newer message replaces, with their places and lines.
    var places: some Sequence<(place: NotificationPlace, line: SendingLine)> {
        chunk.entries.enumerated().lazy.compactMap { index, entry in
            guard entry.state == .pending, !entry.isReplaced, let target = entry.target else { return nil }
            return (place(index), line(of: target))
        }
    }
}
