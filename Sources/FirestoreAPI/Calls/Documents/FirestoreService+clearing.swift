import DocumentStore
package import SwiftProtobuf

/// The emulator's own service, `google.firestore.emulator.v1.FirestoreEmulator`.
extension FirestoreService {
    /// Removes all documents of a database. The caller needs full access to it.
    ///
    /// - Parameter request: has the encoding of the emulator's `ClearDataRequest`, whose only field, 1, is the
    ///   database's name.
    package func clearData(
        _ request: Google_Protobuf_StringValue, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Protobuf_Empty {
        let database = try DatabaseID(firestoreName: request.value)
        guard try caller.access(to: database) == .full else {
            throw FirestoreStatus(.permissionDenied, "The database \(database) cannot be emptied.")
        }
        do {
            try await engine.removeAll(from: database)
        } catch {
            throw FirestoreStatus(error)
        }
        return Google_Protobuf_Empty()
    }
}
