import Foundation
import SwiftProtobuf

/// The files of an export beside those with documents.
struct ExportLayout {
    let name: String
    let start: Date
    let end: Date
    /// The names of the files with documents.
    let outputNames: [String]
    let documentCount: Int
    /// The number of bytes in the files with documents.
    let size: Int

    /// The version of exports, as the first record of the file that names the parts.
    static let version = Array("3".utf8)
    /// The folders below that of the export, the second in the first.
    static let folders = ["all_namespaces", "all_kinds"]
    /// The folder of the files with documents, from that of the export.
    static let partFolder = folders.joined(separator: "/")
    private static let partFile = "\(partFolder)/all_namespaces_all_kinds.export_metadata"

    static func outputName(_ number: Int) -> String { "output-\(number)" }

    /// Writes the files. The emulator exports an empty database without a part; so does this.
    func write(in folder: String) throws(ExportError) {
        if !outputNames.isEmpty {
            var file = try OutputFile("\(folder)/\(Self.partFile)")
            try file.append(Self.bytes(part))
            try file.finish()
        }
        var log = try LogWriter("\(folder)/\(name)\(ExportLocation.suffix)")
        try log.append(Self.version)
        try log.append(Self.bytes(overall))
        try log.finish()
    }

    private var part: Backup {
        var backup = Backup()
        backup.backupInfo.backupName = name
        backup.backupInfo.startTimestamp = Self.microseconds(start)
        backup.backupInfo.endTimestamp = Self.microseconds(end)
        var files = KindBackupInfo()
        files.kind = ""
        files.file = outputNames
        backup.kindInfo = [files]
        return backup
    }

    private var overall: OverallExportMetadata {
        var part = SingleExportMetadataPointer()
        part.entitySetSpec.kindType = .allKinds
        part.entitySetSpec.namespaceType = .allNamespaces
        part.exportMetadataFile = Self.partFile
        part.numEntities = Int64(documentCount)
        part.numBytes = Int64(size)
        var overall = OverallExportMetadata()
        if !outputNames.isEmpty { overall.exportPointers = [part] }
        return overall
    }

    /// Rounds to microseconds since 1970.
    private static func microseconds(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded()) ?? 0
    }

    private static func bytes(_ message: some Message) throws(ExportError) -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            throw ExportError(.unsupportedDocument, "", "The names of the files cannot be encoded.")
        }
    }
}
