import DocumentStore
import Foundation
import JSON
package import Logging

/// A log handler that writes each message as a line of text to standard error.
///
/// It formats the metadata only for a message that is written. `StreamLogHandler` formats them on each change, and
/// every request changes them.
package struct HumanLogHandler: LogHandler {
    /// The lowest level that is written.
    package var logLevel = Logger.Level.info
    /// The metadata of every message.
    package var metadata: Logger.Metadata = [:]
    private let lines: StreamLogHandler

    /// Creates a handler for a logger's label.
    package init(label: String) { lines = .standardError(label: label) }

    /// Accesses the value of a metadata key.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message.
    package func log(event: LogEvent) {
        var event = event
        event.metadata = metadata.merged(with: event.metadata)
        lines.log(event: event)
    }
}

/// A log handler that writes each message as one JSON object on a line of standard error: `time`, `level`, `label`,
/// `message`, and the metadata under `metadata`.
package struct JSONLogHandler: LogHandler {
    /// The lowest level that is written.
    package var logLevel = Logger.Level.info
    /// The metadata of every message.
    package var metadata: Logger.Metadata = [:]
    private let label: String

    /// Creates a handler for a logger's label.
    package init(label: String) { self.label = label }

    /// Accesses the value of a metadata key.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message.
    package func log(event: LogEvent) {
        var object: JSONObject = [
            "time": .string(Timestamp.now.description), "level": .string(event.level.rawValue),
            "label": .string(label), "message": .string("\(event.message)"),
        ]
        let all = metadata.merged(with: event.metadata)
        if !all.isEmpty {
            let members = all.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string("\($0.value)")) }
            object["metadata"] = .object(JSONObject(members))
        }
        FileHandle.standardError.write(Data(JSONValue.object(object).serialized + [UInt8(ascii: "\n")]))
    }
}

extension Logger.Metadata {
    /// The key of the HTTP server for the id, which ``RequestID`` replaces.
    private static let serverKey = "hb.request.id"

    /// Returns the metadata of a line: those of the logger, those of the event, and the id of the request.
    func merged(with own: Logger.Metadata?) -> Logger.Metadata {
        var all = merging(own ?? [:]) { _, own in own }
        all[Self.serverKey] = nil
        if let id = RequestID.current { all[RequestID.metadataKey] = .string(id) }
        return all
    }
}
