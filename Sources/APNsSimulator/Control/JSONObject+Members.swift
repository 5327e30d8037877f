import JSON

extension JSONObject {
    /// The members of an object, of which `names` must be there and no others than these and `optional` may be.
    ///
    /// A member that is not known is an error, since a typing mistake would otherwise go unnoticed.
    func checked(
        _ subject: String, required names: [String], optional: [String] = []
    ) throws(ControlError) -> JSONObject {
        if let missing = names.first(where: { self[$0] == nil }) {
            throw .badRequest("\(subject) has no \(missing); GET / shows what belongs there")
        }
        if let unknown = members.first(where: { !names.contains($0.name) && !optional.contains($0.name) }) {
            throw .badRequest("\(subject) has no member \(unknown.name); GET / shows those it has")
        }
        return self
    }

    /// Reads a member; what is missing here has been found missing before.
    func value(_ name: String) -> JSONValue { self[name] ?? .null }
}
