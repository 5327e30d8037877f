package import FirestoreProtos
package import Foundation
import SwiftProtobuf

/// Writes documents as an export that Google's emulator and `gcloud firestore import` read.
///
/// The export appears complete or not at all: its folder has a temporary name until ``finish()``, and disappears if
/// the writer ends without it. Only its owner can read the files.
package struct ExportWriter: ~Copyable, Sendable {
    private let name: String
    private let encoder: EntityEncoder
    private let fileSize: Int
    private let now: @Sendable () -> Date
    private let start: Date
    private var folder: NewFolder
    /// The current file; `nil` before the first document.
    private var log: LogWriter?
    private var outputNames: [String] = []
    /// The number of bytes in files that are complete.
    private var size = 0
    /// The first failure to write, after which the files are not complete.
    private var failure: ExportError?
    /// The number of documents so far.
    package private(set) var count = 0

    /// Creates the folder of an export.
    ///
    /// - Parameters:
    ///   - folder: the path of an existing folder.
    ///   - name: the name of the export, and of its folder in that one, which must not exist.
    ///   - project: the project of the documents.
    ///   - database: the id of their database, such as `(default)`.
    ///   - fileSize: the size in bytes after which documents go to another file.
    ///   - now: the current time.
    package init(
        folder: String, name: String, project: String, database: String, fileSize: Int = 256 * 1_024 * 1_024,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(ExportError) {
        let newFolder = try NewFolder(name, in: folder)
        try newFolder.makeFolders(ExportLayout.folders)
        self.folder = newFolder
        self.name = name
        self.fileSize = fileSize
        self.now = now
        encoder = EntityEncoder(database: DatabaseName(project: project, database: database))
        start = now()
    }

    /// Writes a document.
    ///
    /// - Throws: an error of the kind `unsupportedDocument` if it is not a document of the database, or has a value
    ///   that exports cannot contain; other documents may follow. One of the kind `fileSystem`, such as for a full
    ///   disk; the export cannot be completed then.
    package mutating func append(_ document: Google_Firestore_V1_Document) throws(ExportError) {
        let record = try record(document)
        do throws(ExportError) {
            try openFile()
            try log?.append(record)
        } catch {
            failure = failure ?? error
            throw error
        }
        count += 1
    }

    /// Completes the export, which is on the disk when this method returns.
    ///
    /// - Returns: the path of its folder.
    package mutating func finish() throws(ExportError) -> String {
        if let failure { throw failure }
        try closeFile()
        let layout = ExportLayout(
            name: name, start: start, end: now(), outputNames: outputNames, documentCount: count, size: size)
        try layout.write(in: folder.temporaryPath)
        try folder.finish(ExportLayout.folders)
        return folder.path
    }

    private func record(_ document: Google_Firestore_V1_Document) throws(ExportError) -> [UInt8] {
        do throws(EntityError) {
            let record: [UInt8] = try encoder.entity(document).bytes()
            guard record.count <= LogFormat.recordLimit else { throw EntityError("is too large for an export") }
            return record
        } catch {
            throw ExportError(.unsupportedDocument, "", "\(document.name): \(error.description).")
        }
    }

    /// Opens the first file, or another one after a file that is large enough.
    private mutating func openFile() throws(ExportError) {
        if let size = log?.size {
            if size < fileSize { return }
            try closeFile()
        }
        let name = ExportLayout.outputName(outputNames.count)
        log = try LogWriter("\(folder.temporaryPath)/\(ExportLayout.partFolder)/\(name)")
        outputNames.append(name)
    }

    private mutating func closeFile() throws(ExportError) {
        try log?.finish()
        size += log?.size ?? 0
        log = nil
    }
}
