/// What a key may do.
enum AccessScope: Sendable {
    case read, write
}

extension SessionsConfiguration {
    /// Empty for a key that nobody gave out.
    func scopes(of key: BearerCredential) -> Set<AccessScope> {
        let (isMaster, reads, writes) = (masterKey.contains(key), readKeys.contains(key), writeKeys.contains(key))
        var scopes: Set<AccessScope> = []
        if isMaster || reads { scopes.insert(.read) }
        if isMaster || writes { scopes.insert(.write) }
        return scopes
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
