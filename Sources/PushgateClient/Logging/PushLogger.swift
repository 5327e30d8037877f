/// A destination for the client's log, provided by the app.
///
///     import os
///     let log = os.Logger(subsystem: "com.example.app", category: "push")
///     PushSubscriptions(…, logger: PushLogger { entry in log.log("\(entry)") })
///
/// Entries contain no secrets, tokens or folders.
public struct PushLogger: Sendable {
    /// A log entry.
    public struct Entry: Hashable, Sendable {
        /// The severity.
        public let level: Level
        /// The event as a constant text, for example `registered a chat`.
        public let message: String
        /// The facts of the event, by name.
        public let metadata: [String: String]
    }

    /// The severity of a log entry.
    public enum Level: String, Hashable, Sendable, CaseIterable {
        /// Single steps.
        case debug
        /// Changes that a gateway has confirmed.
        case info
        /// Failures that a later attempt may repair.
        case warning
        /// Failures of the app's own storage or servers.
        case error
    }

    private let write: (@Sendable (Entry) -> Void)?

    /// Creates a logger.
    ///
    /// - Parameter write: A function that receives each entry, on any thread. It must not block.
    public init(_ write: @escaping @Sendable (Entry) -> Void) { self.write = write }

    private init() { write = nil }

    /// A logger that drops every entry.
    public static let none = PushLogger()

    func log(_ level: Level, _ message: String, _ metadata: @autoclosure () -> [String: String] = [:]) {
        write?(Entry(level: level, message: message, metadata: metadata()))
    }
}

extension PushLogger.Entry: CustomStringConvertible {
    /// The entry as one line, for example `registered a chat agent=dae668e4 server=home`.
    public var description: String {
        metadata.sorted { $0.key < $1.key }.reduce(message) { "\($0) \($1.key)=\($1.value)" }
    }
}
