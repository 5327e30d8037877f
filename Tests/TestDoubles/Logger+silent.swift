package import Logging

extension Logger {
    /// A logger that discards everything.
    package static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
