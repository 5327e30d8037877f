public import Logging

/// Writes each log message as a line of text on standard error.
///
/// Metadata become text with a message. `StreamLogHandler` does that whenever they change, and each request has its own.
public struct HumanLogHandler: LogHandler {
    public var logLevel = Logger.Level.info
    public var metadata: Logger.Metadata = [:]
    private let lines: StreamLogHandler

    public init(label: String) { lines = .standardError(label: label) }

    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var event = event
        event.metadata = metadata.merging(event.metadata ?? [:]) { _, own in own }
        lines.log(event: event)
    }
}
