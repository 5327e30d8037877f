public import Logging

extension Logger {
    /// A logger that discards everything.
    public static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
