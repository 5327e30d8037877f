package import DocumentStore

/// One app on one device, known to this gateway by a token in FCM's form.
package struct Registration: Hashable, Sendable {
    /// The installation id, which is also the id of the document.
    package let fid: String
    /// The token that clients of FCM send to.
    package let token: RegistrationToken
    /// The address that the token stands for.
    package let address: PushAddress
    /// The time at which the registration was first stored: by an import, or by the first subscription to a topic of
    /// a token that was not made here. For a registration without a document it is the time of the lookup.
    package let createdAt: Timestamp
    /// `true` if there is a document for it. A token that was not made here has one only after its first
    /// subscription.
    let isStored: Bool

    init(fid: String, token: RegistrationToken, address: PushAddress, createdAt: Timestamp, isStored: Bool = false) {
        self.fid = fid
        self.token = token
        self.address = address
        self.createdAt = createdAt
        self.isStored = isStored
    }
}

extension Registration {
    /// The target of notifications, with the document that is removed if the token is invalid.
    package var target: Target {
        get throws(StoreError) {
            Target(address: address, registration: isStored ? try RegistrationDocuments.registration(fid) : nil)
        }
    }

    /// The fields of the registration's document.
    var documentFields: Fields { fields(registeredAt: createdAt) }

    /// Returns the fields of the registration's document.
    ///
    /// - Parameter time: the last time at which the device's token was known to be valid.
    func fields(registeredAt time: Timestamp) -> Fields {
        typealias Field = RegistrationDocuments.Field
        var fields = RegistrationDocuments.fields.fields(of: address)
        fields[Field.token] = .string(token.value)
        fields[Field.createdAt] = .timestamp(createdAt)
        fields[Field.registeredAt] = .timestamp(time)
        return fields
    }

    /// Reads a document; `nil` if it does not have the form that this gateway writes.
    init?(_ document: Document) {
        typealias Field = RegistrationDocuments.Field
        guard let token = document[Field.token]?.string, let createdAt = document[Field.createdAt]?.timestamp,
            let address = RegistrationDocuments.fields.address(in: document)
        else { return nil }
        self.init(
            fid: document.path.id, token: RegistrationToken(token), address: address, createdAt: createdAt,
            isStored: true)
    }
}

/// The paths and field names of registrations, in one place.
///
/// - `registrations/{fid}`: `token`, `deviceToken` (the push service's token for the device; for a token that was
///   not made here the token itself), `transport`, `bundleId`?, `apnsEnvironment`?, `addressAttributes`? and
///   `addressDigest`? (of a browser), `owner`? (the path of the document that the registration ends with), `createdAt`,
///   `registeredAt`? (by the wall clock, the last of: the storing of the document, an import, the acceptance that found
///   the environment. Absent in documents of older versions that were imported once).
/// - `registrations/{fid}/topicSubscriptions/{topic}` and `topics/{topic}/subscriptions/{fid}`: `token`,
///   `createdAt`. They are the two ends of one subscription. A subscription whose token differs from the
///   registration's is a remainder of an earlier registration, and invalid.
enum RegistrationDocuments {
    static let registrations = "registrations"
    static let topicSubscriptions = "topicSubscriptions"
    static let topics = "topics"
    static let subscriptions = "subscriptions"

    enum Field {
        static let token = "token"
        static let deviceToken = "deviceToken"
        static let createdAt = "createdAt"
        static let registeredAt = "registeredAt"
        static let owner = "owner"
    }

    static let fields = RegistrationFields(token: Field.deviceToken, registeredAt: Field.registeredAt)

    static func registration(_ fid: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(registrations).document(fid)
    }

    static func subscriptions(of fid: String) throws(StoreError) -> CollectionPath {
        try registration(fid).collection(topicSubscriptions)
    }

    static func subscribers(of topic: String) throws(StoreError) -> CollectionPath {
        try CollectionPath(topics).document(topic).collection(subscriptions)
    }

    /// Returns the two documents of a subscription: the registration's and the topic's.
    static func ends(of fid: String, _ topic: String) throws(StoreError) -> [DocumentPath] {
        [try subscriptions(of: fid).document(topic), try subscribers(of: topic).document(fid)]
    }
}
