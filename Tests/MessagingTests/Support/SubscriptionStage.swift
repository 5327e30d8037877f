import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

/// Registrations of subscriptions over a real store, of a push service whose subscriptions are an endpoint and a key.
struct SubscriptionStage {
    static let service = TransportName(rawValue: "other")
    static let forms = TokenForms(
        otherwise: .fcm,
        parts: { text, service in
            let halves = text.value.dropFirst("other:".count).split(separator: ";").map(String.init)
            guard service.rawValue == "other", halves.count == 2 else { return TokenForms.Parts(token: text) }
            return TokenForms.Parts(
                token: RegistrationToken(halves[0]), attributes: AddressAttributes(secrets: ["auth": halves[1]]))
        },
        subscriptions: { json throws(SubscriptionError) in
            guard let endpoint = json["endpoint"]?.string else { throw SubscriptionError("endpoint", "must be a text") }
            return RegistrationToken("other:\(endpoint);\(json["auth"]?.string ?? "key of \(endpoint)")")
        }, recognized: { $0.value.hasPrefix("other:") ? TransportName(rawValue: "other") : nil })

    /// Two kinds of devices of systems: below other documents, and with the token's digest as the id.
    static let collections = [
        RegistrationCollection(
            id: "devices", fields: RegistrationFields(token: "fcmToken", registeredAt: "updatedAt")),
        RegistrationCollection(
            id: "phones", fields: RegistrationFields(token: "deviceToken", registeredAt: "updatedAt")),
    ]

    let clock = ManualClock()
    let log = CollectedLog()
    let disk: TemporaryStore
    let store: ObservedStore
    let subscriptions: BrowserSubscriptions
    let resolver: RegistrationResolver

    init() throws {
        let clock = clock
        disk = try TemporaryStore(clock: clock, fieldIndexes: BrowserSubscriptions.fieldIndexes(of: Self.collections))
        store = ObservedStore(disk.documents)
        subscriptions = BrowserSubscriptions(
            forms: Self.forms, store: store, collections: Self.collections, now: { clock.timestamp })
        resolver = RegistrationResolver(
            store: store, key: RegistrationTokenKey(Array(repeating: 1, count: 32)), foreignTokens: .refused,
            forms: Self.forms, now: { clock.timestamp })
    }

    /// Reads a subscription, and the one that it replaces.
    func subscription(_ endpoint: String, replacing former: JSONValue? = nil) throws -> RegisteredSubscription {
        let subscription = try subscriptions.subscription(["endpoint": .string(endpoint)])
        guard let former else { return subscription }
        return try subscriptions.subscription(subscription, replacing: former)
    }

    func subscription(_ endpoint: String, replacing former: String) throws -> RegisteredSubscription {
        try subscription(endpoint, replacing: ["endpoint": .string(former)])
    }

    /// Stores a registration of a subscription as a system does, with a field of its own.
    func register(_ path: String, _ subscription: RegisteredSubscription) async throws -> Timestamp? {
        let path = try DocumentPath(path)
        let collection = try #require(Self.collections.first { $0.id == path.collection.id })
        var fields = collection.fields.fields(of: subscription.address)
        fields["updatedAt"] = .timestamp(clock.timestamp)
        fields["platform"] = "web"
        return try await subscriptions.commit([.set(path, fields)], of: subscription, at: path)
    }

    /// Removes a registration as after the verdict of a push service.
    func remove(_ path: String) async throws -> Int {
        let path = try DocumentPath(path)
        let fields = Self.collections.first { $0.id == path.collection.id }?.fields ?? RegistrationDocuments.fields
        let document = try #require(try await disk.documents.document(at: path))
        let target = Target(address: try #require(fields.address(in: document)), registration: path)
        let clock = clock
        return try await RegistrationPruner(store: store, now: { clock.timestamp }, logger: log.logger)
            .remove([(target, .unregistered(since: nil))], fields)
    }

    func document(_ path: String) async throws -> Document? {
        try await disk.documents.document(at: try DocumentPath(path))
    }

    /// Returns the endpoint in a document.
    func endpoint(at path: String) async throws -> String? {
        let document = try await document(path)
        return (document?["fcmToken"] ?? document?["deviceToken"])?.string
    }
}
