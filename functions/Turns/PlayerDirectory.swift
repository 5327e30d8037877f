internal import DocumentStore

/// Reads who is registered, a page at a time.
struct PlayerDirectory: Sendable {
    struct Page: Sendable {
        let players: [PlayerID]
        /// The last document's id.
        let last: String
    }

    /// The most players that are named as having one device.
    static let maximumPerToken = 1_000
    private static let pageSize = 500

    let store: any DocumentStore

    /// - Parameter last: of the page before; nil for the first page.
    /// - Returns: nil when there are no more.
    func page(after last: String?) async throws(StoreError) -> Page? {
        let devices = try TurnsDocuments.devices()
        var query = Query.collection(devices).ordered(by: .documentName).limited(to: Self.pageSize)
        query.projection = []
        if let last {
            query.start = Cursor([.reference(try devices.document(last).name(in: store.database))], isAfter: true)
        }
        let documents = try await store.documents(matching: query)
        return documents.last.map { Page(players: documents.compactMap { PlayerID($0.path.id) }, last: $0.path.id) }
    }

    /// In ascending order.
    func players(withToken token: String) async throws(StoreError) -> [PlayerID] {
        var query = Query.collection(try TurnsDocuments.devices())
            .where(FieldPath(DeviceRegistry.Field.token), .equal, .string(token)).limited(to: Self.maximumPerToken)
        query.projection = []
        return try await store.documents(matching: query).compactMap { PlayerID($0.path.id) }
            .sorted { $0.number < $1.number }
    }
}
