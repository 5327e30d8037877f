internal import DocumentStore

/// The scheduled clean-up: what was said to players who have left need not be known any more.
extension Turns {
    private static let maximumAge = Duration.seconds(30 * 24 * 60 * 60)
    private static let batch = 500

    @Sendable func cleanUp() async throws {
        let cutoff = now().adding(.zero - Self.maximumAge)
        var query = Query.collection(try TurnsDocuments.players()).ordered(by: .documentName).limited(to: Self.batch)
        query.projection = [FieldPath(NotifiedMoves.Field.notifiedAt)]
        while true {
            let players = try await store.documents(matching: query)
            try await sweep(players.filter { $0.isOlder(than: cutoff) })
            guard players.count == Self.batch, let last = players.last else { return }
            query.start = Cursor([.reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    private func sweep(_ old: [Document]) async throws(StoreError) {
        var devices: [DocumentPath] = []
        for document in old { devices.append(try TurnsDocuments.devices().document(document.path.id)) }
        guard !devices.isEmpty else { return }
        let gone = zip(old, try await store.documents(at: devices)).filter { $0.1 == nil }.map(\.0)
        guard !gone.isEmpty else { return }
        do {
            _ = try await store.commit(gone.map { .delete($0.path, precondition: .updateTime($0.updateTime)) })
        } catch {
            // One of them has come back, and been told of something; the others go tomorrow.
            guard error.code == .failedPrecondition else { throw error }
        }
    }
}

extension Document {
    fileprivate func isOlder(than cutoff: Timestamp) -> Bool {
        (self[NotifiedMoves.Field.notifiedAt]?.timestamp ?? updateTime) < cutoff
    }
}
