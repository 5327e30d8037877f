package import FirestoreProtos

extension FirestoreService {
    /// Sends snapshots of the targets that the client adds, and then their changes, until its requests end.
    package func listen<Requests: AsyncSequence & Sendable>(
        _ requests: Requests, as caller: FirestoreCaller,
        write: @escaping @Sendable (Google_Firestore_V1_ListenResponse) async throws -> Void
    ) async throws(FirestoreStatus) where Requests.Element == Google_Firestore_V1_ListenRequest {
        try await ListenSession(engine, redact: redaction.hide, server: server).run(requests, as: caller, write: write)
    }
}
