import DocumentStore
package import FirestoreProtos
package import SwiftProtobuf

extension FirestoreService {
    /// Begins a transaction.
    ///
    /// - Throws: `INVALID_ARGUMENT` or `FAILED_PRECONDITION` if it is to read the state of a time that cannot be read.
    package func beginTransaction(
        _ request: Google_Firestore_V1_BeginTransactionRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_BeginTransactionResponse {
        let database = try DatabaseID(firestoreName: request.database)
        _ = try caller.access(to: database)
        var response = Google_Firestore_V1_BeginTransactionResponse()
        response.transaction = try await transactions.begin(request.hasOptions ? request.options : nil, in: database)
        return response
    }

    /// Ends a transaction without writes.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the transaction is unknown.
    @discardableResult
    package func rollback(
        _ request: Google_Firestore_V1_RollbackRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Protobuf_Empty {
        let database = try DatabaseID(firestoreName: request.database)
        _ = try caller.access(to: database)
        try transactions.rollback(request.transaction, in: database)
        return Google_Protobuf_Empty()
    }
}
