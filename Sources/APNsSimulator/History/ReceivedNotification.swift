public import JSON

/// A request the simulator has received and how it was answered.
///
/// Device tokens are whole here: this is a test's view of pretended phones, given out on loopback only. A provider
/// token's claims are kept, never the token.
public struct ReceivedNotification: Sendable {
    /// The number of the request since the start or the last reset, from 1.
    public internal(set) var number: Int
    /// The number of the connection it came over, from 1.
    public let connection: Int
    /// When it was complete: milliseconds since 1970.
    public let receivedAt: Int64
    /// The device token in lower case; `nil` when the path had none.
    public let token: String?
    /// The `apns-id` of the answer: the sender's, or one made for it.
    public let apnsID: String
    /// The fields whose names start with `apns-`, as received.
    public let headers: [(name: String, value: String)]
    /// The claims of the provider token, when it was believed.
    public let providerToken: ProviderToken?
    /// The payload as received.
    public let body: [UInt8]
    /// The status of the answer.
    public let status: Int
    /// The reason in the answer; `nil` for 200.
    public let reason: String?
    /// The cause of a refusal in words; `nil` for 200.
    public internal(set) var cause: String?
    /// Departures from Apple's documentation that were taken all the same.
    public internal(set) var deviations: [Deviation] = []

    /// The payload as JSON; `nil` when it is none.
    public var payload: JSONValue? { try? JSONValue(parsing: body) }
    public var topic: String? { header("apns-topic") }
    public var pushType: String? { header("apns-push-type") }
    public var priority: String? { header("apns-priority") }
    public var expiration: String? { header("apns-expiration") }
    public var collapseID: String? { header("apns-collapse-id") }
    public var isAccepted: Bool { status == 200 }

    /// The first value of a header; its name is lower-case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}
