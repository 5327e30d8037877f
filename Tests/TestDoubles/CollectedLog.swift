package import Logging
import Synchronization

/// A log of every line at every level, as text.
package final class CollectedLog: Sendable {
    private let entries = Mutex<[String]>([])

    package init() {}

    /// The lines so far, each as level, message, error and metadata.
    package var lines: [String] { entries.withLock { $0 } }

    /// A logger that writes to this log.
    package var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let error = event.error.map { " \($0)" } ?? ""
            log.entries.withLock { $0.append("\(event.level) \(event.message)\(error) \(all)") }
        }
    }
}
