import DocumentStore

/// The documents of the apps that were reported as held up, and not as resumed. Without them a gateway that restarts
/// would never report that such an app sends again.
///
/// `heldApps/{digest}`: `app` (the key of its lane without an environment), `reason`, and `owner`, the gateway that
/// reported it, if several share the documents.
struct ReportedHoldUps: Sendable {
    static let collection = "heldApps"
    /// The maximum number of documents that are read. Apps are configured, so there are few.
    private static let maximum = 1_000

    private enum Field {
        static let app = "app"
        static let reason = "reason"
        static let owner = "owner"
    }

    private let store: any DocumentStore
    private let membership: (any Membership)?

    init(_ context: DispatchContext) {
        store = context.store
        membership = context.membership
    }

    /// Reads those of this gateway, and of gateways that are gone, with the paths of their documents.
    func read() async throws(StoreError) -> [HeldAppKey: Set<DocumentPath>] {
        let query = Query.collection(try CollectionPath(Self.collection)).limited(to: Self.maximum)
        let documents = try await store.documents(matching: query)
        guard !documents.isEmpty else { return [:] }
        var others: Set<String> = []
        if let membership { others = try await membership.names().subtracting([membership.name]) }
        var paths: [HeldAppKey: Set<DocumentPath>] = [:]
        for document in documents {
            if let owner = document[Field.owner]?.string, others.contains(owner) { continue }
            guard let app = document[Field.app]?.string, let lane = Lane(key: app[...]),
                let reason = document[Field.reason]?.string
            else { continue }
            paths[HeldAppKey(lane, because: reason), default: []].insert(document.path)
        }
        return paths
    }

    /// Returns the path of this gateway's report.
    func path(of key: HeldAppKey) throws(StoreError) -> DocumentPath {
        let digest = HalfDigest(of: "\(membership?.name ?? "") \(key.app.key) \(key.reason)".utf8)
        return try CollectionPath(Self.collection).document(digest.description)
    }

    /// Returns the write that keeps a report.
    func creation(of key: HeldAppKey, at path: DocumentPath) -> Write {
        var fields: Fields = [Field.app: .string(key.app.key), Field.reason: .string(key.reason)]
        fields[Field.owner] = membership.map { .string($0.name) }
        return .set(path, fields)
    }
}
