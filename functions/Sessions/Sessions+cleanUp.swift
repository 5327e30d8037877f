internal import DocumentStore

/// The scheduled clean-up, by how long each kind is kept.
extension Sessions {
    @Sendable func cleanUp() async throws {
        try await forget(
            .collection(try SessionsDocuments.notifications()), SessionNotification.Field.createdAt,
            after: configuration.notificationRetention)
        try await forget(
            .collectionGroup(SessionsDocuments.eventsID), SessionsDocuments.EventField.receivedAt,
            after: configuration.eventRetention)
        try await forget(
            .collection(try SessionsDocuments.sessions()), CodingSession.Field.lastSeenAt,
            after: configuration.sessionRetention)
        try await forget(
            .collection(try SessionsDocuments.devices()), SessionsDocuments.DeviceField.lastSeenAt,
            after: configuration.deviceRetention)
    }

    private func forget(_ collection: Query, _ field: String, after age: Duration) async throws {
        try await store.deleteDocuments(in: collection, whose: field, isBefore: now().adding(.zero - age))
    }
}
