internal import DocumentStore
internal import Foundation
internal import JSON
public import Logging

/// Writes each log message as one JSON object on a line of standard error: `time`, `level`, `label`, `message`, and the
/// metadata under `metadata`.
public struct JSONLogHandler: LogHandler {
    public var logLevel = Logger.Level.info
    public var metadata: Logger.Metadata = [:]
    private let label: String

    public init(label: String) { self.label = label }

    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var object: JSONObject = [
            "time": .string(Timestamp.now.description), "level": .string(event.level.rawValue),
            "label": .string(label), "message": .string("\(event.message)"),
        ]
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        if !all.isEmpty {
            let members = all.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string("\($0.value)")) }
            object["metadata"] = .object(JSONObject(members))
        }
        FileHandle.standardError.write(Data(JSONValue.object(object).serialized + [UInt8(ascii: "\n")]))
    }
}
