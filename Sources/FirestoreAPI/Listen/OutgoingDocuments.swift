import DocumentStore
import FirestoreProtos
import SwiftProtobuf

/// The documents to send next, each version once with all its targets.
struct OutgoingDocuments {
    /// The state in which a document is sent.
    fileprivate enum Version: Hashable {
        case document(updateTime: Timestamp, mask: FieldSelection?)
        case deleted
        /// The document may exist; it is only known not to be in the target.
        case removed
    }

    fileprivate struct Key: Hashable {
        let path: DocumentPath
        let version: Version
    }

    fileprivate struct Entry {
        let key: Key
        let document: Document?
        let time: Timestamp
        var targets: [Int32] = []
        var formerTargets: [Int32] = []
    }

    private var entries: [Entry] = []
    private var places: [Key: Int] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Adds a document that entered a target or changed in it.
    mutating func add(_ document: Document, to id: Int32, mask: FieldSelection?) {
        let version = Version.document(updateTime: document.updateTime, mask: mask)
        let place = place(document.path, version, document, document.updateTime)
        entries[place].targets.append(id)
    }

    /// Adds a document that left a target.
    ///
    /// - Parameters:
    ///   - path: the document's path.
    ///   - document: the document; `nil` if it does not exist.
    ///   - id: the target.
    ///   - mask: the fields that the target sends.
    ///   - time: the time at which the document is not in the target. A later document is not sent.
    mutating func remove(
        _ path: DocumentPath, _ document: Document?, from id: Int32, mask: FieldSelection?, at time: Timestamp
    ) {
        let version: Version =
            if let document {
                document.updateTime > time ? .removed : .document(updateTime: document.updateTime, mask: mask)
            } else {
                .deleted
            }
        let place = place(path, version, document, time)
        entries[place].formerTargets.append(id)
    }

    private mutating func place(
        _ path: DocumentPath, _ version: Version, _ document: Document?, _ time: Timestamp
    ) -> Int {
        let key = Key(path: path, version: version)
        if let place = places[key] { return place }
        places[key] = entries.count
        entries.append(Entry(key: key, document: document, time: time))
        return entries.count - 1
    }

    /// Returns the answers, and forgets the documents.
    ///
    /// - Parameters:
    ///   - database: the documents' database.
    ///   - redact: hides secrets in fields.
    mutating func take(
        in database: DatabaseID, redact: (Fields) -> Fields
    ) -> [Google_Firestore_V1_ListenResponse] {
        let responses = entries.map { $0.response(in: database, redact) }
        self = OutgoingDocuments()
        return responses
    }
}

extension OutgoingDocuments.Entry {
    func response(
        in database: DatabaseID, _ redact: (Fields) -> Fields
    ) -> Google_Firestore_V1_ListenResponse {
        var response = Google_Firestore_V1_ListenResponse()
        let name = key.path.name(in: database)
        switch key.version {
        case .document(_, let mask):
            guard let document else { return response }
            let visible = Document(
                path: document.path, fields: redact(document.fields), createTime: document.createTime,
                updateTime: document.updateTime)
            response.documentChange.document = Google_Firestore_V1_Document(visible, in: database, mask: mask)
            response.documentChange.targetIds = targets
            response.documentChange.removedTargetIds = formerTargets
        case .deleted:
            response.documentDelete.document = name
            response.documentDelete.removedTargetIds = formerTargets
            response.documentDelete.readTime = Google_Protobuf_Timestamp(time)
        case .removed:
            response.documentRemove.document = name
            response.documentRemove.removedTargetIds = formerTargets
            response.documentRemove.readTime = Google_Protobuf_Timestamp(time)
        }
        return response
    }
}
