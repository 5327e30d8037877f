package import FirestoreProtos
import SwiftProtobuf

/// Reads the documents of an export one after the other. It keeps only the current one in memory.
///
/// The documents get names in the database that they are for. So do references to documents of the export's own
/// database; references to other databases stay. The documents have no times, which exports do not contain.
package struct ExportReader: ~Copyable, Sendable {
    private let export: FirestoreExport
    private let target: DatabaseName
    /// The number of documents so far.
    package private(set) var count = 0
    /// The number of files that were opened.
    private var openedFiles = 0
    /// The current file; `nil` before the first and after the last.
    private var log: LogReader?

    init(_ export: FirestoreExport, _ target: DatabaseName) {
        self.export = export
        self.target = target
        log = nil
    }

    /// Returns the next document; `nil` after the last.
    ///
    /// - Throws: an error of the kind `damaged` or `incomplete`, possibly after other documents; `unsupportedEntity`
    ///   if the export is one of Datastore.
    package mutating func next() throws(ExportError) -> Google_Firestore_V1_Document? {
        while true {
            if let record = try log?.next() { return try document(record) }
            guard openedFiles < export.outputFiles.count else { break }
            log = try LogReader(export.outputFiles[openedFiles])
            openedFiles += 1
        }
        guard count == export.documentCount else {
            throw ExportError(
                .incomplete, export.metadataFile,
                "lists \(export.documentCount) documents, but the files contain \(count). "
                    + "Copy or make the export again.")
        }
        return nil
    }

    private mutating func document(_ record: [UInt8]) throws(ExportError) -> Google_Firestore_V1_Document {
        let file = log?.path ?? ""
        let offset = log?.recordStart
        guard let entity = try? EntityProto(serializedBytes: record) else {
            throw .damaged(file, at: offset, "a record is not an entity")
        }
        do throws(EntityError) {
            let document = try EntityDecoder.document(entity, in: target)
            count += 1
            return document
        } catch {
            throw ExportError(.unsupportedEntity, file, at: offset, "\(entity.key.brief): \(error.description).")
        }
    }
}

extension Reference {
    /// The path for messages.
    fileprivate var brief: String {
        path.element.map(KeyElement.init).map { "\($0.collection)/\($0.id.description)" }.joined(separator: "/")
    }
}
