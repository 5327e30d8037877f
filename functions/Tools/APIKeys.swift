internal import Cryptography

/// The keys that open a system's endpoints, each with what it may do.
///
/// Only digests are kept, and all are compared, so that the time an answer takes says nothing about a key.
struct APIKeys<Scope: Hashable & Sendable>: Sendable {
    private let digests: [(digest: [UInt8], scopes: Set<Scope>)]

    /// - Parameter keys: by key, what it may do.
    init(_ keys: [String: Set<Scope>]) {
        digests = keys.map { (SHA256.digest(of: $0.key.utf8), $0.value) }
    }

    var isEmpty: Bool { digests.isEmpty }

    /// What the key may do; nil when nobody gave it out.
    func scopes(of key: BearerCredential) -> Set<Scope>? {
        let digest = SHA256.digest(of: key.value.utf8)
        var scopes: Set<Scope>?
        for known in digests where ConstantTime.equal(known.digest, digest) { scopes = known.scopes }
        return scopes
    }
}
