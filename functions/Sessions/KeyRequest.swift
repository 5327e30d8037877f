internal import JSON

/// A request for a key: `{name, scopes, rate_limit?}`.
struct KeyRequest: Sendable {
    let name: String
    let scopes: Set<AccessScope>
    let rateLimit: Int64?

    init(_ object: JSONObject) throws(SessionsError) {
        guard let name = LooseFields(object).text("name", atMost: LooseFields.longestName) else {
            throw .badRequest("name is required")
        }
        self.name = name
        scopes = try Self.scopes(object["scopes"])
        rateLimit = try Self.rateLimit(object["rate_limit"])
    }

    private static func scopes(_ value: JSONValue?) throws(SessionsError) -> Set<AccessScope> {
        guard let elements = value?.array, case let names = elements.compactMap(\.string),
            names.count == elements.count, let scopes = AccessScope.scopes(named: names)
        else { throw .badRequest(#"scopes must be a list of "read", "write" or both"#) }
        return scopes
    }

    private static func rateLimit(_ value: JSONValue?) throws(SessionsError) -> Int64? {
        guard let value, value != .null else { return nil }
        guard let limit = value.integer, limit > 0 else {
            throw .badRequest("rate_limit must be a whole number, 1 or more")
        }
        return limit
    }
}
