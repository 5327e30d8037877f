/// Which keys may read, and which may write.
struct AccessKeys: Sendable {
    enum Scope: Sendable {
        case read, write
    }

    private let readers: APIKeys
    private let writers: APIKeys

    init(_ configuration: SessionsConfiguration) {
        readers = APIKeys([configuration.masterKey] + configuration.readKeys)
        writers = APIKeys([configuration.masterKey] + configuration.writeKeys)
    }

    /// Empty for a key that nobody gave out.
    func scopes(of key: BearerCredential) -> Set<Scope> {
        var scopes: Set<Scope> = []
        if readers.contains(key) { scopes.insert(.read) }
        if writers.contains(key) { scopes.insert(.write) }
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
