public import JSON

extension Document {
    /// The document as Firestore's REST API shows it
    /// ([Document](https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents)).
    ///
    /// - Parameter database: the one it is of; its full name begins with it.
    public func json(in database: DatabaseID) -> JSONValue {
        [
            "name": .string(path.name(in: database)),
            "fields": fields.json,
            "createTime": .string(createTime.description),
            "updateTime": .string(updateTime.description),
        ]
    }

    /// As ``json(in:)``, of the gateway's own database.
    public var json: JSONValue { json(in: .gateway) }
}
