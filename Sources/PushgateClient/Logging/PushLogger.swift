/// A destination for the client's log, handed in by the app.
///
///     import os
///     let log = os.Logger(subsystem: "com.example.app", category: "push")
///     PushSubscriptions(…, logger: PushLogger { entry in log.log("\(entry)") })
///
/// No entry has a secret, a token or a folder in it.
public struct PushLogger: Sendable {
    /// One event.
    public struct Entry: Hashable, Sendable {
        public let level: Level
        /// The event, the same text each time: `registered a chat`.
        public let message: String
        /// Its facts, by name.
        public let metadata: [String: String]
    }

    public enum Level: String, Hashable, Sendable, CaseIterable {
        /// Steps on the way.
        case debug
        /// Changes that a gateway has confirmed.
        case info
        /// Failures that the next occasion may make good.
        case warning
        /// Failures of the app's own storage or servers.
        case error
    }

    private let write: (@Sendable (Entry) -> Void)?

    /// - Parameter write: called with each entry, from any thread; it must not block.
    public init(_ write: @escaping @Sendable (Entry) -> Void) { self.write = write }

    private init() { write = nil }

    /// Drops every entry.
    public static let none = PushLogger()

    func log(_ level: Level, _ message: String, _ metadata: @autoclosure () -> [String: String] = [:]) {
        write?(Entry(level: level, message: message, metadata: metadata()))
    }
}

extension PushLogger.Entry: CustomStringConvertible {
    /// One line: `registered a chat agent=dae668e4 server=home`.
    public var description: String {
        metadata.sorted { $0.key < $1.key }.reduce(message) { "\($0) \($1.key)=\($1.value)" }
    }
}
