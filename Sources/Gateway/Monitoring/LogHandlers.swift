import DocumentStore
import Foundation
import JSON
package import Logging

/// A log handler that writes each message as a line of text to standard error.
///
/// It formats the metadata only for a message that is written. `StreamLogHandler` formats them on each change, and
/// every request changes them. All texts are ``LogText``s: what a client sends stays within its line.
package struct HumanLogHandler: LogHandler {
    /// The lowest level that is written.
    package var logLevel = Logger.Level.info
    /// The metadata of every message.
    package var metadata: Logger.Metadata = [:]
    private let lines: StreamLogHandler

    package init(label: String) { lines = .standardError(label: label) }

    /// Creates a handler that writes to another stream than standard error.
    init(label: String, stream: any TextOutputStream & Sendable) {
        lines = StreamLogHandler(label: label, stream: stream)
    }

    /// Accesses the value of a metadata key.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message.
    package func log(event: LogEvent) {
        var event = event
        event.metadata = metadata.merged(with: event).mapValues { value in
            Logger.MetadataValue.string(LogText.escaped("\(value)"))
        }
        event.message = Logger.Message(stringLiteral: LogText.escaped("\(event.message)"))
        event.error = nil
        lines.log(event: event)
    }
}

/// A log handler that writes each message as one JSON object on a line of standard error: `time`, `level`, `label`,
/// `message`, and the metadata under `metadata`. Texts are cut as in the other form.
package struct JSONLogHandler: LogHandler {
    /// The lowest level that is written.
    package var logLevel = Logger.Level.info
    /// The metadata of every message.
    package var metadata: Logger.Metadata = [:]
    private let label: String

    package init(label: String) { self.label = label }

    /// Accesses the value of a metadata key.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message.
    package func log(event: LogEvent) {
        FileHandle.standardError.write(Data(object(of: event).serialized + [UInt8(ascii: "\n")]))
    }

    /// Returns the object of a message.
    func object(of event: LogEvent) -> JSONValue {
        var object: JSONObject = [
            "time": .string(Timestamp.now.description), "level": .string(event.level.rawValue),
            "label": .string(label), "message": .string(LogText.cut("\(event.message)")),
        ]
        let all = metadata.merged(with: event)
        if !all.isEmpty {
            let members = all.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string(LogText.cut("\($0.value)"))) }
            object["metadata"] = .object(JSONObject(members))
        }
        return .object(object)
    }
}

extension Logger.Metadata {
    /// The key of the HTTP server for the id, which ``RequestID`` replaces.
    private static let serverKey = "hb.request.id"

    /// Returns the metadata of a line: those of the logger, those of the event with its error, and the id of the
    /// request.
    func merged(with event: LogEvent) -> Logger.Metadata {
        var all = merging(event.metadata ?? [:]) { _, own in own }
        all[Self.serverKey] = nil
        if let error = event.error {
            all["error.message"] = "\(error)"
            all["error.type"] = "\(String(reflecting: type(of: error)))"
        }
        if let id = RequestID.current { all[RequestID.metadataKey] = .string(id) }
        return all
    }
}
