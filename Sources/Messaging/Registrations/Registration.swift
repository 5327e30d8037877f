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
            Field.registeredAt: .timestamp(createdAt),
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
