internal import DocumentStore

/// Where registrations are kept, and what their fields are called: the one place that knows.
///
/// - `registrations/{fid}`: `token`, `deviceToken` (what the push service knows the device by; for a token that was not made
///   here the token itself), `transport`, `bundleId`?, `apnsEnvironment`?, `createdAt`, `registeredAt`? (when it was
///   last imported, by the wall clock; absent in what older versions imported once).
/// - `registrations/{fid}/topicSubscriptions/{topic}` and `topics/{topic}/subscriptions/{fid}`: `token`, `createdAt`. The same
///   from both ends. One whose token is not that of the registration is left over from an earlier one, and void.
enum RegistrationDocuments {
    static let registrations = "registrations"
    static let topicSubscriptions = "topicSubscriptions"
    static let topics = "topics"
    static let subscriptions = "subscriptions"

    enum Field {
        static let token = "token"
        static let deviceToken = "deviceToken"
        static let transport = "transport"
        static let bundleID = "bundleId"
        static let environment = "apnsEnvironment"
        static let createdAt = "createdAt"
        static let registeredAt = "registeredAt"
    }

    static let fields = RegistrationFields(
        token: Field.deviceToken, environment: Field.environment, registeredAt: Field.registeredAt)

    static func registration(_ fid: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(registrations).document(fid)
    }

    static func subscriptions(of fid: String) throws(StoreError) -> CollectionPath {
        try registration(fid).collection(topicSubscriptions)
    }

    static func subscribers(of topic: String) throws(StoreError) -> CollectionPath {
        try CollectionPath(topics).document(topic).collection(subscriptions)
    }

    /// A subscription, as the registration has it and as the topic has it.
    static func ends(of fid: String, _ topic: String) throws(StoreError) -> [DocumentPath] {
        [try subscriptions(of: fid).document(topic), try subscribers(of: topic).document(fid)]
    }
}
