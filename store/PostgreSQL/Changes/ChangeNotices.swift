import Foundation
import Synchronization

/// A listener to the notices of other engines' commits (`LISTEN`), which make the look for these commits sooner. Nothing
/// depends on a notice: the look follows after an interval anyway.
///
/// A thread with a connection of its own waits for them.
final class ChangeNotices: Sendable {
    /// The number by which an engine knows its own notices.
    let sender: String
    private let configuration: PostgreSQLStoreConfiguration
    private let isEnded = Mutex(false)

    /// The time after which the thread looks if it is to end, and between attempts to connect.
    private static let patience = Duration.seconds(1)

    init(_ configuration: PostgreSQLStoreConfiguration, sender: String) {
        self.configuration = configuration
        self.sender = sender
    }

    /// Begins to listen.
    ///
    /// - Parameter found: called when there are notices of others, on the thread. It must be brief.
    func start(_ found: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            while !isEnded.withLock(\.self) {
                try? listen(found)
                Thread.sleep(forTimeInterval: Self.patience / .seconds(1))
            }
        }
        thread.name = "store notices"
        thread.start()
    }

    func end() { isEnded.withLock { $0 = true } }

    private func listen(_ found: () -> Void) throws {
        let connection = try Connection(configuration)
        try connection.listen()
        // There may have been notices before.
        found()
        while !isEnded.withLock(\.self) {
            if try connection.waitForNotices(except: sender, atMost: Self.patience) { found() }
        }
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
