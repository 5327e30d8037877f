import Cryptography
import DocumentStore
import HTTPTypes
import JSON
import Logging

/// The keys that were created through the API. Only their digests are stored.
struct SessionKeys: Sendable {
    let store: any DocumentStore
    let now: @Sendable () -> Timestamp
    let logger: Logger
    private let requests = FixedWindowLimiter(limit: 0, everySeconds: 60)

    /// The maximum error of the stored time of the last use, because a write for every request would cost too much.
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

    /// Returns all keys, oldest first.
    func all() async throws(StoreError) -> [SessionKey] {
        try await store.documents(matching: .collection(try SessionsDocuments.keys())).compactMap(SessionKey.init)
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// - Returns: `true` if a key with that id existed.
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

    /// Returns the key in a request's credential, or `nil` if there is none.
    func key(_ credential: BearerCredential) async throws(StoreError) -> SessionKey? {
        guard let digest = GeneratedKey(credential)?.digest,
            let document = try await store.document(at: SessionsDocuments.key(SessionKey.id(ofDigest: digest))),
            let key = SessionKey(document), ConstantTime.equal(Array(key.digest.utf8), Array(digest.utf8))
        else { return nil }
        return key
    }

    // MARK: Use

    /// Counts a request by the key's rate limit.
    ///
    /// - Returns: `nil` if the request is admitted, otherwise the seconds until the next one is.
    func admit(_ key: SessionKey) -> Int64? {
        guard let limit = key.rateLimit else { return nil }
        return requests.admit(key.id, at: now().seconds, upTo: Int(limit))
    }

    /// Stores the time of the key's use, unless the stored time is recent. An error does not fail the request.
    func noteUse(of key: SessionKey) async {
        let time = now()
        // A time in the future comes from a clock that was later set back.
        if let last = key.lastUsedAt, max(time - last, last - time) < Self.useResolution { return }
        do {
            let path = try SessionsDocuments.key(key.id)
            _ = try await store.commit([.update(path, [SessionKey.Field.lastUsedAt: .timestamp(time)])])
        } catch {
            logger.debug("failed to store a key's last use", metadata: ["key": "\(key.id)", "error": "\(error)"])
        }
    }
}

/// The endpoints that create, list and revoke keys.
extension Sessions {
    /// Creates a key. Only this response contains its text.
    @Sendable func createKey(_ request: FunctionRequest) async throws -> FunctionResponse {
        let (key, value) = try await keys.create(
            try KeyRequest(try await request.jsonObject(limit: Self.maximumBodyBytes)))
        logger.notice("created a key", metadata: ["key": "\(key.id)", "name": "\(key.name)"])
        return FunctionResponse(status: .created, body: key.json(with: value))
    }

    @Sendable func listKeys(_ request: FunctionRequest) async throws -> FunctionResponse {
        .list("keys", try await keys.all().map(\.listJSON))
    }

    @Sendable func revokeKey(_ request: FunctionRequest) async throws -> FunctionResponse {
        let id = request.parameters["id"] ?? ""
        guard try await keys.revoke(id) else { throw SessionsError.noSuchKey }
        logger.notice("revoked a key", metadata: ["key": "\(id)"])
        return .done
    }
}
