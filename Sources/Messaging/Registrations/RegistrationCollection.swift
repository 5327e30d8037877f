import DocumentStore

/// A kind of collection with registrations, all of one form.
package struct RegistrationCollection: Sendable {
    /// The id of the collections, at any depth.
    package let id: String
    /// The names of the registrations' fields.
    package let fields: RegistrationFields

    package init(id: String, fields: RegistrationFields) {
        self.id = id
        self.fields = fields
    }

    /// The index by which all registrations of a subscription are found. It has no entries for other registrations.
    var index: FieldIndex {
        FieldIndex(collectionGroup: id, field: FieldPath(RegistrationFields.digest), type: .string)
    }

    /// The registrations of FCM's interface.
    static let registrations = RegistrationCollection(
        id: RegistrationDocuments.registrations, fields: RegistrationDocuments.fields)

    /// Returns a query for the registrations of the subscription with a digest.
    func query(_ digest: String) -> Query {
        .collectionGroup(id).where(FieldPath(RegistrationFields.digest), .equal, .string(digest))
    }

    /// A query for the registrations of all browsers, in the order of their digests.
    var ofBrowsers: Query {
        let digest = FieldPath(RegistrationFields.digest)
        return .collectionGroup(id).where(digest, .greaterThan, .string("")).ordered(by: digest)
    }

    /// Returns the writes that give a registration another address.
    ///
    /// - Parameter time: the time of the change, at which the address is known to be valid.
    func writes(
        moving document: Document, to address: PushAddress, at time: Timestamp
    ) throws(StoreError) -> [Write] {
        var changes = fields.fields(of: address)
        if let registeredAt = fields.registeredAt { changes[registeredAt] = .timestamp(time) }
        let isUnchanged = Precondition.updateTime(document.updateTime)
        // A device that has no id but its token has the token's digest as its id.
        guard let token = document[fields.token]?.string, document.path.id == RegistrationToken(token).digest else {
            return [.merge(document.path, changes, precondition: isUnchanged)]
        }
        let path = try document.path.collection.document(address.token.digest)
        return [
            .delete(document.path, precondition: isUnchanged), .set(path, document.fields.merging(changes)),
        ]
    }
}
