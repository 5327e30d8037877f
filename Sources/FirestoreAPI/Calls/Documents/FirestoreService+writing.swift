import Cryptography
import DocumentStore
package import FirestoreProtos
package import SwiftProtobuf

/// Writes, alone and in commits.
extension FirestoreService {
    /// Creates a document and returns it. An empty id makes a new one.
    ///
    /// - Throws: `ALREADY_EXISTS` if the document exists; `INVALID_ARGUMENT` if the request also has its whole name.
    package func createDocument(
        _ request: Google_Firestore_V1_CreateDocumentRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_Document {
        let parent = try ParentName(request.parent)
        let access = try caller.access(to: parent.database)
        guard request.document.name.isEmpty else {
            throw .invalid("Document name \"\(request.document.name)\" must not be set: document_id names it.")
        }
        let id = request.documentID.isEmpty ? DocumentPath.randomID() : request.documentID
        let path = try Self.document(id, in: try parent.collection(request.collectionID))
        let mask = try request.hasMask ? FieldSelection(request.mask) : nil
        let write = Write.create(path, try Fields(request.document.fields))
        return try await written(write, in: parent.database, as: caller, for: access, mask: mask)
    }

    /// Sets the fields of a document, all or those of a mask, and returns the document.
    package func updateDocument(
        _ request: Google_Firestore_V1_UpdateDocumentRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_Document {
        let database = try DocumentName(request.document.name).database
        let access = try caller.access(to: database)
        let mask = try request.hasMask ? FieldSelection(request.mask) : nil
        var message = Google_Firestore_V1_Write()
        message.update = request.document
        if request.hasUpdateMask { message.updateMask = request.updateMask }
        if request.hasCurrentDocument { message.currentDocument = request.currentDocument }
        let write = try Write(message, in: database)
        return try await written(write, in: database, as: caller, for: access, mask: mask)
    }

    /// Deletes a document, which need not exist.
    package func deleteDocument(
        _ request: Google_Firestore_V1_DeleteDocumentRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Protobuf_Empty {
        let database = try DocumentName(request.name).database
        _ = try caller.access(to: database)
        var message = Google_Firestore_V1_Write()
        message.delete = request.name
        if request.hasCurrentDocument { message.currentDocument = request.currentDocument }
        _ = try await commit([try Write(message, in: database)], in: database, as: caller)
        return Google_Protobuf_Empty()
    }

    /// Applies all writes at one time, or none of them.
    package func commit(
        _ request: Google_Firestore_V1_CommitRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_CommitResponse {
        let database = try DatabaseID(firestoreName: request.database)
        let access = try caller.access(to: database)
        let writes = try writes(request.writes, in: database, for: access)
        if request.transaction.isEmpty {
            return Google_Firestore_V1_CommitResponse(try await commit(writes, in: database, as: caller))
        }
        return Google_Firestore_V1_CommitResponse(
            try await transactions.commit(
                request.transaction, writes, digest: try Self.digest(of: request.writes), in: database, as: caller))
    }

    /// Returns a digest of the writes of a transaction, which is the same for the same writes.
    private static func digest(of writes: [Google_Firestore_V1_Write]) throws(FirestoreStatus) -> [UInt8] {
        SHA256.digest(
            of: try MessageCoding.canonicalBytes(Google_Firestore_V1_CommitRequest.with { $0.writes = writes }))
    }

    /// Commits the writes of a client, unless it has gone before their turn.
    func commit(
        _ writes: [Write], in database: DatabaseID, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> CommitResult {
        do {
            return try await engine.store(for: database)
                .commitUnlessCancelled(writes, with: CommitOptions(isAwaited: caller.isWaiting))
        } catch {
            throw FirestoreStatus(error)
        }
    }

    /// Applies a write and returns the document as it is afterwards.
    private func written(
        _ write: Write, in database: DatabaseID, as caller: FirestoreCaller, for access: FirestoreCaller.Access,
        mask: FieldSelection?
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_Document {
        if access == .redacted { try redaction.check([write]) }
        let result = try await commit([write], in: database, as: caller)
        let document = try await documents(at: [write.path], from: engine.store(for: database)).first ?? nil
        if let document { return message(of: document, in: database, for: access, mask: mask) }
        // Another client has deleted it since.
        var message = Google_Firestore_V1_Document()
        message.name = write.path.name(in: database)
        message.updateTime = Google_Protobuf_Timestamp(result.commitTime)
        return message
    }

    private static func document(
        _ id: String, in collection: CollectionPath
    ) throws(FirestoreStatus) -> DocumentPath {
        do {
            return try collection.document(id)
        } catch {
            throw FirestoreStatus(error)
        }
    }
}

extension Google_Firestore_V1_CommitResponse {
    /// Makes the answer to a commit.
    init(_ result: CommitResult) {
        self.init()
        writeResults = result.updateTimes.indices.map { Google_Firestore_V1_WriteResult(result, ofWrite: $0) }
        commitTime = Google_Protobuf_Timestamp(result.commitTime)
    }
}
