public import DocumentStore

/// One app on one device, known to this gateway by a token of FCM's form.
public struct Registration: Hashable, Sendable {
    /// Its installation id: what its document is called.
    public let fid: String
    /// What clients of FCM send to.
    public let token: RegistrationToken
    /// Where that goes.
    public let address: Address
    public let createdAt: Timestamp
    /// Whether there is a document of it. A token that was not made here has one only once it is subscribed to something.
    let isStored: Bool

    init(fid: String, token: RegistrationToken, address: Address, createdAt: Timestamp, isStored: Bool = false) {
        self.fid = fid
        self.token = token
        self.address = address
        self.createdAt = createdAt
        self.isStored = isStored
    }
}

/// Where registrations are kept, and what their fields are called: the one place that knows.
///
/// - `registrations/{fid}`: `token`, `deviceToken` (what the push service knows the device by; for a token that was not made
///   here the token itself), `transport`, `bundleId`?, `apnsEnvironment`?, `createdAt`, `registeredAt`? (when it was
///   last imported again). Its update time is when it was last registered.
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

    static let fields = RegistrationFields(token: Field.deviceToken, environment: Field.environment)

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

extension Registration {
    /// Whom to send to: with the document that goes when the token turns out dead.
    public var target: Target {
        get throws(StoreError) {
            Target(address: address, registration: isStored ? try RegistrationDocuments.registration(fid) : nil)
        }
    }

    var documentFields: Fields {
        typealias Field = RegistrationDocuments.Field
        var fields: Fields = [
            Field.token: .string(token.value), Field.deviceToken: .string(address.token.value),
            Field.transport: .string(address.lane.transport.rawValue), Field.createdAt: .timestamp(createdAt),
        ]
        fields[Field.bundleID] = address.lane.topic.map(Value.string)
        fields[Field.environment] = address.lane.environment.map { .string($0.rawValue) }
        return fields
    }

    /// nil when the document is not as this gateway writes it.
    init?(_ document: Document) {
        typealias Field = RegistrationDocuments.Field
        guard let token = document[Field.token]?.string, let deviceToken = document[Field.deviceToken]?.string,
            let transport = document[Field.transport]?.string, let createdAt = document[Field.createdAt]?.timestamp
        else { return nil }
        self.init(
            fid: document.path.id, token: RegistrationToken(token),
            address: Address(
                token: RegistrationToken(deviceToken),
                lane: Lane(
                    transport: TransportName(rawValue: transport), topic: document[Field.bundleID]?.string,
                    environment: document[Field.environment]?.string.flatMap(APNsEnvironment.init(rawValue:)))),
            createdAt: createdAt, isStored: true)
    }
}
