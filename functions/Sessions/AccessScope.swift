/// A permission of a key.
enum AccessScope: String, Hashable, Sendable, CaseIterable {
    case read, write

    /// Those of a list of names, `nil` if there is none or one that is unknown.
    static func scopes(named names: [String]) -> Set<AccessScope>? {
        let scopes = names.compactMap(AccessScope.init(rawValue:))
        return scopes.count == names.count && !scopes.isEmpty ? Set(scopes) : nil
    }
}

/// The key that an endpoint asks for.
enum RequiredKey: Hashable, Sendable {
    case any
    case scoped(AccessScope)
    /// The master key, from the gateway's own machine.
    case localMaster
}

/// The access that a request has by its key.
struct KeyAccess: Sendable {
    let scopes: Set<AccessScope>
    var isMaster = false
    /// The key, if it was made while the gateway ran.
    var made: SessionKey?

    static let master = KeyAccess(scopes: Set(AccessScope.allCases), isMaster: true)
}

extension SessionsConfiguration {
    /// Returns what a key of the configuration opens; `nil` for any other.
    func access(by key: BearerCredential) -> KeyAccess? {
        let digest = key.digest
        let isMaster = masterKey.contains(digest: digest)
        let (reads, writes) = (readKeys.contains(digest: digest), writeKeys.contains(digest: digest))
        if isMaster { return .master }
        var scopes: Set<AccessScope> = []
        if reads { scopes.insert(.read) }
        if writes { scopes.insert(.write) }
        return scopes.isEmpty ? nil : KeyAccess(scopes: scopes)
    }
}

extension BearerCredential {
    /// Takes what follows `Bearer ` in an `Authorization` field, to the letter: no other case, no other space.
    init?(exactly authorization: String?) {
        let scheme = "Bearer "
        guard let authorization, authorization.utf8.starts(with: scheme.utf8) else { return nil }
        self.init(String(authorization.dropFirst(scheme.count)))
    }
}
