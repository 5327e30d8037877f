internal import DocumentStore

/// The scheduled clean-up: what was dealt with long ago need not be recognised any more.
extension Runs {
    private static let maximumAge = Duration.seconds(30 * 24 * 60 * 60)

    @Sendable func cleanUp() async throws {
        let cutoff = now().adding(.zero - Self.maximumAge)
        try await store.deleteDocuments(
            in: .collection(try RunsDocuments.events()), whose: RunsDocuments.receivedAt, isBefore: cutoff)
        try await store.deleteDocuments(
            in: .collection(try RunsDocuments.approvals()), whose: Approval.Field.resolvedAt, isBefore: cutoff)
        try await store.deleteDocuments(
            in: .collection(try RunsDocuments.runs()), whose: Run.Field.lastSeenAt, isBefore: cutoff)
    }
}
