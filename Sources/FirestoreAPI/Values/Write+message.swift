import DocumentStore
import FirestoreProtos
import SwiftProtobuf

extension Write {
    /// Reads a write. The store checks its values, its paths and its transforms.
    ///
    /// - Parameters:
    ///   - message: the write.
    ///   - database: the database of the request, to which the document belongs.
    /// - Throws: `INVALID_ARGUMENT` if it is malformed, or a write to another database.
    init(_ message: Google_Firestore_V1_Write, in database: DatabaseID) throws(FirestoreStatus) {
        switch message.operation {
        case .update(let document):
            self = Write(
                try Operation(updating: document, message),
                at: try DocumentPath(firestoreName: document.name, in: database))
        case .delete(let name):
            guard !message.hasUpdateMask else { throw .invalid("a delete must not specify a document mask.") }
            self = Write(.delete, at: try DocumentPath(firestoreName: name, in: database))
        case .verify(let name):
            guard !message.hasUpdateMask else { throw .invalid("a verify must not specify a document mask.") }
            self = Write(.verify, at: try DocumentPath(firestoreName: name, in: database))
        case .transform(let transform):
            guard !transform.fieldTransforms.isEmpty else {
                throw .invalid("The list of FieldTransform must not be empty.")
            }
            self = Write(
                .merge([:], mask: []), at: try DocumentPath(firestoreName: transform.document, in: database),
                transforms: try FieldTransform.transforms(transform.fieldTransforms))
        case nil: throw .invalid("empty write operation")
        }
        if !message.updateTransforms.isEmpty {
            transforms += try FieldTransform.transforms(message.updateTransforms)
        }
        if message.hasCurrentDocument { precondition = try Precondition.condition(message.currentDocument) }
    }

    /// Reads the writes of a request.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is malformed, or a write to another database.
    static func writes(
        _ messages: [Google_Firestore_V1_Write], in database: DatabaseID
    ) throws(FirestoreStatus) -> [Write] {
        var writes: [Write] = []
        writes.reserveCapacity(messages.count)
        for message in messages { writes.append(try Write(message, in: database)) }
        return writes
    }
}

extension Write.Operation {
    /// Reads the change of an update: of the fields in its mask, or of the whole document without one.
    fileprivate init(
        updating document: Google_Firestore_V1_Document, _ message: Google_Firestore_V1_Write
    ) throws(FirestoreStatus) {
        let fields = try Fields(document.fields)
        if message.hasUpdateMask {
            self = .merge(fields, mask: try FieldPath.paths(of: message.updateMask))
        } else {
            self = .set(fields)
        }
    }
}

extension Precondition {
    /// Reads a precondition; `nil` if the message has no condition.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is a time finer than microseconds, or out of range.
    static func condition(_ message: Google_Firestore_V1_Precondition) throws(FirestoreStatus) -> Precondition? {
        switch message.conditionType {
        case .exists(let exists): .exists(exists)
        case .updateTime(let time): .updateTime(try Timestamp(exactly: time))
        case nil: nil
        }
    }
}

extension Google_Firestore_V1_WriteResult {
    /// Makes the result of a write at a position in a commit.
    init(_ result: CommitResult, ofWrite position: Int) {
        self.init()
        if let time = result.updateTimes[position] { updateTime = Google_Protobuf_Timestamp(time) }
        transformResults = result.transformResults(ofWrite: position).map { Google_Firestore_V1_Value($0) }
    }
}
