internal import Cryptography

/// The keys that open a system's endpoints.
///
/// Only digests are kept, so that a configuration can be logged; and all are compared, so that the time an answer takes
/// says nothing about a key.
public struct APIKeys: Hashable, Sendable, ExpressibleByArrayLiteral {
    private let digests: [[UInt8]]

    public init(_ keys: [String]) { digests = keys.map { SHA256.digest(of: $0.utf8) } }

    public init(arrayLiteral keys: String...) { self.init(keys) }

    public var isEmpty: Bool { digests.isEmpty }

    /// Whether somebody gave the key out.
    func contains(_ key: BearerCredential) -> Bool { contains(digest: key.digest) }

    /// - Parameter digest: a key's.
    func contains(digest: [UInt8]) -> Bool { digests.count { ConstantTime.equal($0, digest) } > 0 }
}

extension APIKeys: CustomStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
