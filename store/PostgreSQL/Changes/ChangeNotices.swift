import Foundation

/// A listener to the notices of other engines' commits (`LISTEN`), which make the look for these commits sooner.
/// Nothing depends on a notice: the look follows after an interval anyway.
///
/// While somebody wants to hear of commits, a thread waits for notices on a connection of its own, and the table
/// `listeners` has a row that makes others send them. Otherwise each commit of another engine would wake a process of
/// the server and this thread for nothing.
final class ChangeNotices: Sendable {
    /// The state behind the condition of the thread.
    private final class State: @unchecked Sendable {  // because `condition` guards the other properties
        let condition = NSCondition()
        /// `true` if somebody has begun to listen since the thread looked.
        var isWanted = false
        var isEnded = false
    }

    /// The number by which an engine knows its own notices.
    let sender: String
    private let configuration: PostgreSQLStoreConfiguration
    private let state = State()

    /// The time after which the thread looks if it is to end, and between attempts to connect.
    private static let patience = Duration.seconds(1)
    /// The time to wait for a database that another transaction has locked.
    private static let longestLock = Duration.milliseconds(100)
    /// The time for which the connection is kept when nobody listens.
    private static let keptTime = Duration.seconds(10)
    /// The time for which others send notices to an engine that does not renew its wish, and the one after which it is
    /// renewed.
    private static let (lifetime, renewal) = (Duration.seconds(60), Duration.seconds(15))

    init(_ configuration: PostgreSQLStoreConfiguration, sender: String) {
        self.configuration = configuration
        self.sender = sender
    }

    /// Begins to wait for those who want notices.
    ///
    /// - Parameters:
    ///   - isHeard: returns `true` while somebody listens.
    ///   - found: called when there are notices of others, on the thread. It must be brief.
    func start(while isHeard: @escaping @Sendable () -> Bool, _ found: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            while untilWanted() {
                do {
                    try listen(while: isHeard, found)
                } catch {
                    Thread.sleep(forTimeInterval: Self.patience / .seconds(1))
                    want()
                }
            }
        }
        thread.name = "store notices"
        thread.start()
    }

    /// Announces that somebody listens from now on.
    func want() {
        locked { state in
            state.isWanted = true
            state.condition.signal()
        }
    }

    func end() {
        locked { state in
            state.isEnded = true
            state.condition.signal()
        }
    }

    private func locked<Answer>(_ body: (State) -> Answer) -> Answer {
        state.condition.lock()
        defer { state.condition.unlock() }
        return body(state)
    }

    /// Waits until somebody listens. Returns `false` after the end.
    private func untilWanted() -> Bool {
        locked { state in
            while !state.isWanted && !state.isEnded { state.condition.wait() }
            state.isWanted = false
            return !state.isEnded
        }
    }

    /// Returns `true` if somebody has begun to listen since the last call.
    private func takeWish() -> Bool {
        locked { state in
            defer { state.isWanted = false }
            return state.isWanted
        }
    }

    /// Waits for notices until nobody has listened for a while.
    private func listen(while isHeard: () -> Bool, _ found: () -> Void) throws {
        let connection = try Connection(configuration)
        try announce(on: connection)
        // There may have been notices before.
        found()
        var lastHeard = ContinuousClock.now
        var renewed = ContinuousClock.now
        while !locked(\.isEnded), .now - lastHeard < Self.keptTime {
            if try connection.waitForNotices(except: sender, atMost: Self.patience) { found() }
            // After the last look, a new wish makes the thread begin again.
            if takeWish() || isHeard() { lastHeard = .now }
            guard .now - renewed > Self.renewal else { continue }
            renewed = .now
            let isKnown = try connection.run(ServerSQL.renewListener, parameters).changed > 0
            if isKnown { try connection.listen() } else { try announce(on: connection) }
            // Notices that came with the answers wait for the next one.
            found()
        }
        _ = try connection.run(ServerSQL.removeListener, [.text(sender)])
    }

    private var parameters: [Parameter] { [.text(sender), .integer(Int64(Self.lifetime / .microseconds(1)))] }

    /// Makes others send notices from now on. Their commits that have not read this have ended then.
    /// A database that stays locked for longer fails this, because commits to the others wait meanwhile.
    private func announce(on connection: Connection) throws {
        try connection.inTransaction { connection in
            try connection.run(script: "SET LOCAL lock_timeout = \(Int(Self.longestLock / .milliseconds(1)))")
            _ = try connection.run([
                Call(ServerSQL.lockSchema), Call(ServerSQL.lockDatabases), Call(ServerSQL.removeOldListeners),
                Call(ServerSQL.addListener, parameters),
            ])
        }
        try connection.listen()
    }
}

extension Connection {
    /// The channel of the notices: those of other schemas have others.
    private static let channel = "'pushgate ' || current_schema()"

    /// The statement that sends a notice to all engines when its transaction is committed. `$1` is the sender.
    static let notify = "SELECT pg_notify(\(channel), $1::text)"

    fileprivate func listen() throws {
        let channel = try run("SELECT quote_ident(\(Self.channel))").text(0, 0) ?? "pushgate"
        try run(script: "LISTEN \(channel)")
    }
}
