import DequeModule
import JSON
import Messaging
import Signals
import Synchronization

/// A bounded log of an emulator: numbered entries, the newest last, in memory only. Callers can wait for entries.
final class EmulatorLog<Element: Sendable>: Sendable {
    private struct State {
        var entries: Deque<(element: Element, bytes: Int)> = []
        var bytes = 0
        var nextSequence = 1

        /// The number of the oldest entry; the next number if there is none.
        var firstSequence: Int { nextSequence - entries.count }
    }

    /// The entries that one wait has found so far.
    private struct Found {
        var sequences: Deque<Int> = []
        var nextSequence = 1
    }

    private let state = Mutex(State())
    private let arrival = Signal()
    private let capacity: Int
    private let maximumBytes: Int

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of entries; older ones are dropped.
    ///   - maximumBytes: the maximum memory of all entries, by the sizes given to ``append(bytes:_:)``; older ones
    ///     are dropped.
    init(capacity: Int, maximumBytes: Int) {
        self.capacity = capacity
        self.maximumBytes = maximumBytes
    }

    /// Appends an entry.
    ///
    /// - Parameters:
    ///   - bytes: the memory that the entry uses.
    ///   - make: returns the entry for its number, which is never used again.
    func append(bytes: Int, _ make: (_ sequence: Int) -> Element) {
        state.withLock { state in
            state.entries.append((make(state.nextSequence), bytes))
            state.bytes += bytes
            state.nextSequence += 1
            while state.entries.count > capacity || state.bytes > maximumBytes, let oldest = state.entries.popFirst() {
                state.bytes -= oldest.bytes
            }
        }
        arrival.notify()
    }

    /// The number of the newest entry; 0 before the first.
    var lastSequence: Int { state.withLock { $0.nextSequence - 1 } }

    func elements(where matches: (Element) -> Bool) -> [Element] {
        state.withLock { $0.entries.lazy.map(\.element).filter(matches) }
    }

    /// Returns the matching entries as soon as there are `count`, or when the time limit has passed.
    func elements(
        where matches: @escaping @Sendable (Element) -> Bool, waitingFor count: Int, atMost bound: Duration,
        clock: any Clock<Duration>
    ) async -> [Element] {
        // The condition is called at each arrival, so it looks at each entry once.
        let found = Mutex(Found())
        await arrival.wait(atMost: bound, clock: clock) {
            found.withLock { found in
                self.update(&found, where: matches)
                return found.sequences.count >= count
            }
        }
        return elements(where: matches)
    }

    /// Looks at the entries that are new to a wait, and forgets those that the log has dropped.
    private func update(_ found: inout Found, where matches: (Element) -> Bool) {
        state.withLock { state in
            let first = state.firstSequence
            while let oldest = found.sequences.first, oldest < first { found.sequences.removeFirst() }
            for sequence in max(found.nextSequence, first)..<state.nextSequence
            where matches(state.entries[sequence - first].element) {
                found.sequences.append(sequence)
            }
            found.nextSequence = state.nextSequence
        }
    }

    func reset() {
        state.withLock { state in
            state.entries.removeAll()
            state.bytes = 0
        }
    }
}

/// A message in the form of its JSON, to keep many in memory: a decoded message of many small values takes over ten
/// times the memory of its text.
struct EncodedMessage: Sendable {
    private let bytes: [UInt8]

    init(_ message: Message) { bytes = message.encodedJSON }

    /// The size of the text, in bytes.
    var count: Int { bytes.count }

    /// The message, decoded at each access.
    var message: Message {
        // The text is this type's own, so it parses. Its depth is that of the message.
        (try? JSONValue(parsing: bytes, maximumDepth: .max)).map(Message.init(json:)) ?? Message()
    }
}

extension Int {
    /// The size of a log entry without its texts, in bytes: the entry itself, and the headers of the objects that it
    /// refers to.
    static let logEntryOverhead = 1_024
}
