internal import Cryptography
internal import DocumentStore
internal import Logging

/// The keys that were made while the gateway ran. Only their digests are stored.
struct SessionKeys: Sendable {
    let store: any DocumentStore
    let now: @Sendable () -> Timestamp
    let logger: Logger
    private let requests = FixedWindowLimiter(limit: 0, everySeconds: 60)

    /// The most that the stored time of the last use may lag behind: a write for every request is not worth it.
    private static let useResolution = Duration.seconds(60)

    init(store: any DocumentStore, now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.store = store
        self.now = now
        self.logger = logger
    }

    func create(_ request: KeyRequest) async throws(StoreError) -> (key: SessionKey, value: GeneratedKey) {
        let value = GeneratedKey()
        let key = SessionKey(value, request, at: now())
        _ = try await store.commit([.create(try SessionsDocuments.key(key.id), key.fields)])
        return (key, value)
    }

    /// Returns all keys, the oldest first.
    func all() async throws(StoreError) -> [SessionKey] {
        try await store.documents(matching: .collection(try SessionsDocuments.keys())).compactMap(SessionKey.init)
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// - Returns: whether there was one of that id.
    func revoke(_ id: String) async throws(StoreError) -> Bool {
        guard let path = try? SessionsDocuments.key(id) else { return false }
        do {
            _ = try await store.commit([.delete(path, precondition: .exists(true))])
            return true
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }

    /// Returns the key that a request brings; `nil` if there is none.
    func key(_ credential: BearerCredential) async throws(StoreError) -> SessionKey? {
        guard let digest = GeneratedKey(credential)?.digest,
            let document = try await store.document(at: SessionsDocuments.key(SessionKey.id(ofDigest: digest))),
            let key = SessionKey(document), ConstantTime.equal(Array(key.digest.utf8), Array(digest.utf8))
        else { return nil }
        return key
    }

    // MARK: Use

    /// Counts a request by the key's limit.
    ///
    /// - Returns: `nil` if it may pass, else the seconds until it may.
    func admit(_ key: SessionKey) -> Int64? {
        guard let limit = key.rateLimit else { return nil }
        return requests.admit(key.id, at: now().seconds, upTo: Int(limit))
    }

    /// Stores that the key is used now, unless the stored time is young. A request does not fail by it.
    func noteUse(of key: SessionKey) async {
        let time = now()
        // A time in the future is of a clock that was set back since.
        if let last = key.lastUsedAt, max(time - last, last - time) < Self.useResolution { return }
        do {
            let path = try SessionsDocuments.key(key.id)
            _ = try await store.commit([.update(path, [SessionKey.Field.lastUsedAt: .timestamp(time)])])
        } catch {
            logger.debug("failed to store a key's last use", metadata: ["key": "\(key.id)", "error": "\(error)"])
        }
    }
}
