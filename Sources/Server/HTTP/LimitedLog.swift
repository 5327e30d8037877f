import Foundation
package import Logging
import Synchronization

/// A log with a maximum number of lines a minute, for events that any client can cause.
///
/// The first line of a later minute has the number of those that were left out before it.
package final class LimitedLog: Sendable {
    private struct State {
        var minute = Int64.min
        var written = 0
        var omitted = 0
    }

    private let linesPerMinute: Int
    private let now: @Sendable () -> Int64
    private let logger: Logger
    private let state = Mutex(State())

    /// Creates a log by the system's clock.
    ///
    /// - Parameter linesPerMinute: The maximum number of lines in each full minute.
    package convenience init(linesPerMinute: Int, logger: Logger) {
        self.init(linesPerMinute: linesPerMinute, now: { Int64(Date.now.timeIntervalSince1970) }, logger: logger)
    }

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - linesPerMinute: The maximum number of lines in each full minute.
    ///   - now: The time, in seconds since 1970.
    init(linesPerMinute: Int, now: @escaping @Sendable () -> Int64, logger: Logger) {
        self.linesPerMinute = linesPerMinute
        self.now = now
        self.logger = logger
    }

    /// Writes a line, or counts it if the minute has had its lines.
    func log(_ level: Logger.Level, _ message: Logger.Message, metadata: @autoclosure () -> Logger.Metadata) {
        guard logger.logLevel <= level, let omitted = admit() else { return }
        var metadata = metadata()
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        logger.log(level: level, message, metadata: metadata)
    }

    /// Returns the number of lines that were left out since the last one; `nil` if this one is left out too.
    private func admit() -> Int? {
        let minute = now() / 60
        return state.withLock { state in
            if state.minute != minute { (state.minute, state.written) = (minute, 0) }
            guard state.written < linesPerMinute else {
                state.omitted += 1
                return nil
            }
            state.written += 1
            defer { state.omitted = 0 }
            return state.omitted
        }
    }
}
