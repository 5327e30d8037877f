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

    private struct Member {
        let place: NotificationPlace
        var waiter: Waiter?
        var isSending = false
        var isSuperseded = false
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
        guard line.isCollapsible else {
            lines[line, default: []].append(Member(place: place))
            return []
        }
        // The ids of messages are in the order of their acceptance.
        let id = place.chunk.message
        let members = lines[line] ?? []
        guard isNew || !members.contains(where: { $0.place.chunk.message > id }) else { return [] }
        // A message that names an address twice does not replace itself.
        let waiters = members.contains { $0.place.chunk.message == id } ? [] : supersede(line)
        lines[line, default: []].append(Member(place: place))
        return waiters
    }

    /// Removes the notifications of a line that wait, because a newer message replaces them.
    ///
    /// - Returns: their waiters.
    mutating func supersede(_ line: SendingLine) -> [Waiter] {
        guard var members = lines[line] else { return [] }
        let waiters = members.compactMap(\.waiter)
        members.removeAll { !$0.isSending }
        for index in members.indices { members[index].isSuperseded = true }
        lines[line] = members.isEmpty ? nil : members
        return waiters
    }

    /// Returns the notifications that a new message in a line replaces.
    func places(in line: SendingLine) -> [NotificationPlace] { lines[line]?.map(\.place) ?? [] }

    /// Removes a notification that goes back to the disk.
    ///
    /// - Returns: the waiter of the next one, whose turn has come.
    mutating func remove(_ place: NotificationPlace, from line: SendingLine) -> Waiter? {
        guard var members = lines[line], let position = members.firstIndex(where: { $0.place == place }) else {
            return nil
        }
        members.remove(at: position)
        let next = members.first?.waiter
        if next != nil {
            members[0].waiter = nil
            members[0].isSending = true
        }
        lines[line] = members.isEmpty ? nil : members
        return next
    }

    // MARK: Sending

    /// Begins to send a notification if it is its turn.
    ///
    /// - Parameter waiter: kept if it has to wait, and given out when its turn has come or it is superseded.
    mutating func begin(
        _ place: NotificationPlace, in line: SendingLine, waiter: @autoclosure () -> Waiter
    ) -> Turn {
        guard var members = lines[line], let position = members.firstIndex(where: { $0.place == place }) else {
            return line.isCollapsible ? .superseded : .send
        }
        if position == 0 { members[0].isSending = true } else { members[position].waiter = waiter() }
        lines[line] = members
        return position == 0 ? .send : .wait
    }

    /// Ends a notification. In a line of messages that replace each other, it was answered, or the next one waits no
    /// longer for that; in any other line, the transport has it.
    ///
    /// - Returns: `true` if a newer message has been accepted meanwhile; and the waiter of the next one, whose turn has
    ///   come.
    mutating func end(_ place: NotificationPlace, in line: SendingLine) -> (isSuperseded: Bool, next: Waiter?) {
        let isSuperseded = lines[line]?.first { $0.place == place }?.isSuperseded ?? false
        return (isSuperseded, remove(place, from: line))
    }

    /// Returns the notification in flight for whose answer another one waits; `nil` if that one does not wait.
    func predecessor(of place: NotificationPlace, in line: SendingLine) -> NotificationPlace? {
        guard let members = lines[line], let first = members.first, first.isSending, first.place != place,
            members.contains(where: { $0.place == place })
        else { return nil }
        return first.place
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
