import SwiftProtobuf

/// An export on the disk, of Google's Firestore emulator or of `gcloud firestore export`
/// ([export and import](https://firebase.google.com/docs/firestore/manage-data/export-import)).
package struct FirestoreExport: Hashable, Sendable {
    /// The path of the file that names all others.
    package let metadataFile: String
    /// The number of documents that the export lists. Reading fails if the files contain another number.
    package let documentCount: Int
    /// The paths of the files with documents.
    let outputFiles: [String]

    /// Finds an export and reads the names of its files.
    ///
    /// - Parameter path: the folder of the export, its file that ends with `.overall_export_metadata`, or a folder of
    ///   `firebase emulators:export`.
    package init(at path: String) throws(ExportError) {
        metadataFile = try ExportLocation.metadataFile(at: path)
        let metadata = try Self.metadata(in: metadataFile)
        var (count, files): (Int64, [String]) = (0, [])
        for part in metadata.exportPointers {
            let (sum, overflows) = count.addingReportingOverflow(part.numEntities)
            guard !overflows, part.numEntities >= 0 else {
                throw .damaged(metadataFile, "it lists an impossible number of documents")
            }
            count = sum
            files += try Self.outputFiles(part, namedBy: metadataFile)
        }
        documentCount = Int(count)
        outputFiles = files
    }

    /// Returns a reader of all documents, in the order of the files.
    ///
    /// - Parameters:
    ///   - project: the project that the documents are for.
    ///   - database: the id of the database that they are for, such as `(default)`.
    package func documents(project: String, database: String) -> ExportReader {
        ExportReader(self, DatabaseName(project: project, database: database))
    }

    /// Reads the file that names the parts: a log of two records, the version and the metadata.
    private static func metadata(in file: String) throws(ExportError) -> OverallExportMetadata {
        var log = try LogReader(file)
        guard let version = try log.next(), let record = try log.next() else {
            throw .damaged(file, "it lacks a record")
        }
        guard version == ExportLayout.version else {
            let text = String(decoding: version.prefix(20), as: UTF8.self)
            throw ExportError(
                .notAnExport, file, "has the version “\(text)” of exports, which cannot be read. Version 3 can.")
        }
        return try message(record, in: file)
    }

    /// Reads the files with documents that a part of the export names.
    private static func outputFiles(
        _ part: SingleExportMetadataPointer, namedBy file: String
    ) throws(ExportError) -> [String] {
        let partFile = try RelativePath.resolve(part.exportMetadataFile, namedBy: file)
        let backup: Backup = try message(try InputFile(partFile).contents(), in: partFile)
        var files: [String] = []
        for name in backup.kindInfo.flatMap(\.file) { files.append(try RelativePath.resolve(name, namedBy: partFile)) }
        return files
    }

    private static func message<Decoded: Message>(_ bytes: [UInt8], in file: String) throws(ExportError) -> Decoded {
        do {
            return try Decoded(serializedBytes: bytes)
        } catch {
            throw .damaged(file, "it is not a message of the type \(Decoded.protoMessageName)")
        }
    }
}
