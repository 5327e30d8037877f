internal import Cryptography

/// The keys that open a system's endpoints.
///
/// Only digests are kept, and all are compared, so that the time an answer takes says nothing about a key.
struct APIKeys: Sendable {
    private let digests: [[UInt8]]

    init(_ keys: [String]) { digests = keys.map { SHA256.digest(of: $0.utf8) } }

    /// Whether somebody gave the key out.
    func contains(_ key: BearerCredential) -> Bool {
        let digest = SHA256.digest(of: key.value.utf8)
        return digests.count { ConstantTime.equal($0, digest) } > 0
    }
}
