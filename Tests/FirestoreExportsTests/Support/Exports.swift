import FirestoreProtos
import Foundation
import SwiftProtobuf

@testable import FirestoreExports

/// Writes an export and returns the path of its folder.
func write(
    _ documents: [Document], in folder: String, name: String = "e", database: String = "(default)",
    fileSize: Int = 1 << 20
) throws -> String {
    var writer = try ExportWriter(
        folder: folder, name: name, project: "p", database: database, fileSize: fileSize,
        now: { Date(timeIntervalSince1970: 1_700_000_000) })
    for document in documents { try writer.append(document) }
    return try writer.finish()
}

/// Reads all documents of an export.
func read(_ path: String, project: String = "p", database: String = "(default)") throws -> [Document] {
    var reader = try FirestoreExport(at: path).documents(project: project, database: database)
    var documents: [Document] = []
    while let document = try reader.next() { documents.append(document) }
    return documents
}

/// Writes the files of an export from entities, as a program other than ``ExportWriter`` may write it.
///
/// - Parameter parts: the entities of each part, by kind.
func writeParts(_ parts: [(kind: String, records: [[UInt8]])], in folder: String) throws {
    var overall = OverallExportMetadata()
    for (kind, records) in parts {
        let path = "all_namespaces/kind_\(kind)"
        try FileManager.default.createDirectory(atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
        var log = try LogWriter("\(folder)/\(path)/output-0")
        for record in records { try log.append(record) }
        try log.finish()
        let backup = Backup.with { $0.kindInfo = [.with { ($0.kind, $0.file) = (kind, ["output-0"]) }] }
        let file = "\(path)/all_namespaces_kind_\(kind).export_metadata"
        try Data(try backup.serializedBytes() as [UInt8]).write(to: URL(filePath: "\(folder)/\(file)"))
        overall.exportPointers.append(
            .with { ($0.exportMetadataFile, $0.numEntities) = (file, Int64(records.count)) })
    }
    var log = try LogWriter("\(folder)/by-kind.overall_export_metadata")
    try log.append(Array("3".utf8))
    try log.append(try overall.serializedBytes())
    try log.finish()
}

/// Returns the entity of a document without fields.
func entity(_ kind: String, _ name: String, app: String = "s~p") -> EntityProto {
    .with {
        $0.key.app = app
        $0.key.path.element = [.with { ($0.type, $0.name) = (kind, name) }]
    }
}

/// The path of a file among the fixtures.
func fixture(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/\(name)").standardized.path
}
