public import Foundation

/// The state that the client stores between launches.
public struct SubscriptionState: Hashable, Sendable {
    /// The generated installation id, a lower-case UUID; `nil` if the app provides its own, or before the first use.
    public internal(set) var installationID: String?
    /// The subscribed chats, in the order in which they were first opened.
    public internal(set) var subscriptions: [ChatSubscription] = []
    /// The unsubscriptions that the gateway has not confirmed: the newest first, failed ones last.
    var departures: [PendingUnsubscription] = []

    /// Begins without an installation id and without subscriptions, as before the app's first launch.
    public init() {}
}

extension SubscriptionState {
    /// The servers with subscriptions or unconfirmed unsubscriptions.
    var serverIDs: Set<String> {
        Set(subscriptions.map(\.chat.serverID) + departures.map(\.departure.serverID))
    }

    mutating func subscribe(to chat: Chat, displayName: String?) {
        departures.removeAll { $0.departure.chat == chat }
        if let index = index(of: chat) {
            subscriptions[index].displayName = displayName
        } else {
            subscriptions.append(ChatSubscription(chat: chat, displayName: displayName))
        }
    }

    mutating func depart(_ departure: Unsubscription, at time: Date) {
        if let chat = departure.chat {
            subscriptions.removeAll { $0.chat == chat }
        } else {
            subscriptions.removeAll { $0.chat.serverID == departure.serverID }
            departures.removeAll { $0.departure.serverID == departure.serverID }
        }
        forget(departure)
        departures.insert(PendingUnsubscription(departure, time: time), at: 0)
    }

    mutating func forget(_ departure: Unsubscription) { departures.removeAll { $0.departure == departure } }

    /// Removes unsubscriptions from chats that are subscribed under another id of the same server. For the gateway
    /// both ids are one server.
    mutating func forgetDeparturesFromFollowedChats(among serverIDs: Set<String>) {
        let followed = Set(subscriptions.map(\.chat))
        departures.removeAll { pending in
            guard let chat = pending.departure.chat, serverIDs.contains(chat.serverID) else { return false }
            return serverIDs.contains { followed.contains(Chat(serverID: $0, cwd: chat.cwd)) }
        }
    }

    /// Records that the gateway has accepted an unsubscription. One from a whole server also removed the
    /// registrations of chats that are still subscribed there under any id.
    mutating func confirm(_ departure: Unsubscription, among serverIDs: Set<String>) {
        forget(departure)
        guard departure.chat == nil else { return }
        for index in subscriptions.indices where serverIDs.contains(subscriptions[index].chat.serverID) {
            subscriptions[index].registration = nil
        }
    }

    /// Forgets that gateways have accepted registrations, because the address in them has ended: gateways may have
    /// removed them.
    mutating func forgetRegistrations() {
        for index in subscriptions.indices { subscriptions[index].registration = nil }
    }

    /// Records the failure of an unsubscription, and drops it if it cannot succeed.
    mutating func note(_ error: PushClientError, of departure: Unsubscription, at now: Date) {
        guard let index = departures.firstIndex(where: { $0.departure == departure }) else { return }
        var failed = departures.remove(at: index)
        if !failed.isGivenUp(after: error, at: now) { departures.append(failed) }
    }

    /// Records a registration that the gateway accepted, unless the chat has been unsubscribed since.
    mutating func note(_ registration: AcceptedRegistration, of chat: Chat) {
        if let index = index(of: chat) { subscriptions[index].registration = registration }
    }

    private func index(of chat: Chat) -> Int? { subscriptions.firstIndex { $0.chat == chat } }
}

/// Lists of other versions of the app can be read: missing members are empty, and unknown members are ignored.
extension SubscriptionState: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, installationID, subscriptions, departures
    }

    /// The version of the written format, for future readers.
    private static let version = 1

    /// Decodes a state of this version or another one.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        installationID = try fields.decodeIfPresent(String.self, forKey: .installationID)
        subscriptions =
            try fields.decodeIfPresent([ChatSubscription].self, forKey: .subscriptions) ?? []
        departures = try fields.decodeIfPresent([PendingUnsubscription].self, forKey: .departures) ?? []
    }

    /// Encodes the state with the version of the format.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(Self.version, forKey: .version)
        try fields.encodeIfPresent(installationID, forKey: .installationID)
        try fields.encode(subscriptions, forKey: .subscriptions)
        try fields.encode(departures, forKey: .departures)
    }
}

/// A subscription of this device to a chat.
public struct ChatSubscription: Codable, Hashable, Sendable {
    /// The chat.
    public let chat: Chat
    /// The notification's title. Each registration contains it, because the gateway deletes a name that is missing.
    public internal(set) var displayName: String?
    /// The registration that the gateway accepted last; `nil` if there is none.
    var registration: AcceptedRegistration?

    /// The time of the registration that the gateway accepted last; `nil` if there is none.
    public var registeredAt: Date? { registration?.time }
}

/// A registration that a gateway has accepted.
struct AcceptedRegistration: Codable, Hashable, Sendable {
    /// The SHA-256 of the request and its destination. Neither token nor secret is stored.
    let fingerprint: String
    let time: Date
}
