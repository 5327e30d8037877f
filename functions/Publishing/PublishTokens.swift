import Cryptography
import DocumentStore
import Logging

/// The tokens of programs that publish or read. Only their digests are stored.
struct PublishTokens: Sendable {
    let store: any DocumentStore
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// The maximum error of the stored time of the last use, because a write for every request would cost too much.
    private static let useResolution = Duration.seconds(60)

    func create(
        name: String, scope: PublishScope
    ) async throws(StoreError) -> (token: PublishToken, value: GeneratedToken) {
        let value = GeneratedToken()
        let token = PublishToken(value, name: name, scope: scope, at: now())
        _ = try await store.commit([.create(try PublishToken.path(token.id), token.fields)])
        logger.notice("created a token", metadata: ["token": "\(token.id)", "scope": "\(scope.text)"])
        return (token, value)
    }

    /// Returns all tokens, oldest first.
    func all() async throws(StoreError) -> [PublishToken] {
        try await store.documents(matching: .collection(try PublishToken.collection())).compactMap(PublishToken.init)
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// - Returns: `true` if a token with that id existed.
    func revoke(_ id: String) async throws(StoreError) -> Bool {
        guard let path = try? PublishToken.path(id) else { return false }
        do {
            _ = try await store.commit([.delete(path, precondition: .exists(true))])
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
        logger.notice("revoked a token", metadata: ["token": "\(id)"])
        return true
    }

    /// Returns the token in a request's credential, or `nil` if there is none.
    func token(_ credential: BearerCredential) async throws(StoreError) -> PublishToken? {
        guard let digest = GeneratedToken(credential)?.digest,
            let document = try await store.document(at: PublishToken.path(PublishToken.id(ofDigest: digest))),
            let token = PublishToken(document), ConstantTime.equal(Array(token.digest.utf8), Array(digest.utf8))
        else { return nil }
        return token
    }

    /// Stores the time of the token's use, unless the stored time is recent. An error does not fail the request.
    func noteUse(of token: PublishToken) async {
        let time = now()
        // A time in the future comes from a clock that was later set back.
        if let last = token.lastUsedAt, max(time - last, last - time) < Self.useResolution { return }
        do {
            let path = try PublishToken.path(token.id)
            _ = try await store.commit([.update(path, [PublishToken.Field.lastUsedAt: .timestamp(time)])])
        } catch {
            logger.debug("failed to store a token's last use", metadata: ["token": "\(token.id)", "error": "\(error)"])
        }
    }
}
