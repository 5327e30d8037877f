import DocumentStore
import Synchronization

/// The order in which this process has accepted messages, also of those that are cut into chunks later.
///
/// A message to a topic is accepted before its recipients are read. Until its last page is cut, the newer messages that
/// replace it are remembered by their devices. A page is not sent to these devices, whether the newer message waits, is
/// in flight or was sent.
final class AcceptanceOrder: Sendable {
    private struct State {
        var lastMoment: Timestamp?
        /// The messages that are being cut, by their keys without a lane.
        var families: [CollapseKey: OpenFamily] = [:]
        var keys: [String: CollapseKey] = [:]
    }

    private let state = Mutex(State())

    /// Returns an id that is greater than those of all earlier messages, also if the clock was set back.
    func nextID(at time: Timestamp) -> String {
        let moment = state.withLock { state in
            let moment = state.lastMoment.map { max(time, $0.adding(.microseconds(1))) } ?? time
            state.lastMoment = moment
            return moment
        }
        return DocumentPath.timeOrderedID(at: moment)
    }

    /// Begins to remember the messages that replace one which is cut later. A second call has no effect.
    func begin(_ message: AcceptedMessage) {
        guard let family = CollapseKey(of: message, in: nil) else { return }
        state.withLock { state in
            state.keys[message.id] = family
            state.families[family, default: OpenFamily()].begin(message.id)
        }
    }

    /// Forgets a message, because all its pages were cut.
    func end(_ messageID: String) {
        state.withLock { state in
            guard let family = state.keys.removeValue(forKey: messageID) else { return }
            state.families[family]?.end(messageID)
            if state.families[family]?.isEmpty == true { state.families[family] = nil }
        }
    }

    /// Returns `true` if an older message that this one replaces is being cut.
    func isCuttingOlder(than message: AcceptedMessage) -> Bool { familyWithOlder(than: message) != nil }

    private func familyWithOlder(than message: AcceptedMessage) -> CollapseKey? {
        guard state.withLock({ !$0.families.isEmpty }), let family = CollapseKey(of: message, in: nil),
            state.withLock({ $0.families[family]?.hasOlder(than: message.id) ?? false })
        else { return nil }
        return family
    }

    /// Notes that chunks of a message were committed.
    ///
    /// - Returns: `true` if an older message that this one replaces is being cut.
    func committed(_ chunks: [Chunk], of message: AcceptedMessage) -> Bool {
        guard chunks.contains(where: { $0.collapseKey != nil }), let family = familyWithOlder(than: message) else {
            return false
        }
        let lines = chunks.flatMap { chunk in chunk.lines.map(\.line) }
        return state.withLock { state in
            guard state.families[family] != nil else { return false }
            state.families[family]?.note(lines, of: message.id)
            return true
        }
    }

    /// Returns the positions of a chunk's targets that newer messages replace.
    func overtaken(in chunk: Chunk) -> [Int] {
        let newest = state.withLock { state in
            state.keys[chunk.id.message].flatMap { state.families[$0]?.newest } ?? [:]
        }
        guard !newest.isEmpty else { return [] }
        return chunk.lines.compactMap { index, line in
            newest[line].flatMap { $0 > chunk.id.message ? index : nil }
        }
    }
}

/// Messages with one collapse id of one sender that are being cut into chunks, and the newest messages to devices since
/// the first of them.
private struct OpenFamily {
    private var open: Set<String> = []
    /// The ids of messages.
    private(set) var newest: [DeviceLine: String] = [:]

    var isEmpty: Bool { open.isEmpty }

    func hasOlder(than messageID: String) -> Bool { open.contains { $0 < messageID } }

    mutating func begin(_ messageID: String) { open.insert(messageID) }

    mutating func end(_ messageID: String) {
        open.remove(messageID)
        guard let oldest = open.min(), messageID < oldest else { return }
        newest = newest.filter { $0.value > oldest }
    }

    mutating func note(_ lines: [DeviceLine], of messageID: String) {
        for line in lines where newest[line].map({ $0 < messageID }) ?? true { newest[line] = messageID }
    }
}

/// The messages to one device that replace each other, in 32 bytes.
private struct DeviceLine: Hashable {
    let key: CollapseKey
    let token: TokenDigest
}

extension Chunk {
    /// The lines of the targets that no newer message replaces; none for messages without a collapse id.
    fileprivate var lines: [(index: Int, line: DeviceLine)] {
        guard let key = collapseKey else { return [] }
        return entries.indices.compactMap { index in
            guard !entries[index].isReplaced, let token = entries[index].target?.address.token else { return nil }
            return (index, DeviceLine(key: key, token: TokenDigest(token)))
        }
    }
}
