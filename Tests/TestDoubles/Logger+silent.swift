public import Logging

extension Logger {
    /// Tells nobody.
    public static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
