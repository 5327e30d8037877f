/// Lists of other versions of the app are read as far as they are understood: what is missing counts as empty, and what is not
/// known is passed over.
extension SubscriptionState: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, installationID, subscriptions, departures
    }

    /// The form that is written, for later ones to tell it by.
    private static let version = 1

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        installationID = try fields.decodeIfPresent(String.self, forKey: .installationID)
        subscriptions =
            try fields.decodeIfPresent([ChatSubscription].self, forKey: .subscriptions) ?? []
        departures = try fields.decodeIfPresent([PendingDeparture].self, forKey: .departures) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(Self.version, forKey: .version)
        try fields.encodeIfPresent(installationID, forKey: .installationID)
        try fields.encode(subscriptions, forKey: .subscriptions)
        try fields.encode(departures, forKey: .departures)
    }
}
