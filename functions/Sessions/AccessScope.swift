/// A permission of a key.
enum AccessScope: String, Hashable, Sendable, CaseIterable {
    case read, write

    /// Returns the scopes with these names, or `nil` if there are none or a name is unknown.
    static func scopes(named names: [String]) -> Set<AccessScope>? {
        let scopes = names.compactMap(AccessScope.init(rawValue:))
        return scopes.count == names.count && !scopes.isEmpty ? Set(scopes) : nil
    }
}

/// The key that an endpoint requires.
enum RequiredKey: Hashable, Sendable {
    case any
    case scoped(AccessScope)
    /// The master key, from the gateway's own machine.
    case localMaster
}

/// The access that a request has with its key.
struct KeyAccess: Sendable {
    let scopes: Set<AccessScope>
    var isMaster = false
    /// The key, if it was created through the API.
    var made: SessionKey?

    static let master = KeyAccess(scopes: Set(AccessScope.allCases), isMaster: true)
}

extension SessionsSettings {
    /// Returns the access of a key in the configuration; `nil` for any other key.
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
    /// Reads the credential after `Bearer ` in an `Authorization` field, with exactly this case and one space.
    init?(exactly authorization: String?) {
        let scheme = "Bearer "
        guard let authorization, authorization.utf8.starts(with: scheme.utf8) else { return nil }
        self.init(String(authorization.dropFirst(scheme.count)))
    }
}
