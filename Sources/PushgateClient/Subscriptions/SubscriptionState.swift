internal import Foundation

/// What the client keeps between launches.
public struct SubscriptionState: Hashable, Sendable {
    /// A lower-case UUID, made once; nil when the app gives its own.
    public internal(set) var installationID: String?
    /// In the order in which the chats were first opened.
    public internal(set) var subscriptions: [ChatSubscription] = []
    /// What was unsubscribed and the gateway has not confirmed: the newest first, and last what has failed.
    var departures: [PendingDeparture] = []

    public init() {}
}

extension SubscriptionState {
    /// The servers of which there is something to tell.
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

    mutating func depart(_ departure: Departure, at time: Date) {
        if let chat = departure.chat {
            subscriptions.removeAll { $0.chat == chat }
        } else {
            subscriptions.removeAll { $0.chat.serverID == departure.serverID }
            departures.removeAll { $0.departure.serverID == departure.serverID }
        }
        forget(departure)
        departures.insert(PendingDeparture(departure, time: time), at: 0)
    }

    mutating func forget(_ departure: Departure) { departures.removeAll { $0.departure == departure } }

    /// Forgets departures from chats that are followed under another id of the same server: for the gateway they are one.
    mutating func forgetDeparturesFromFollowedChats(among serverIDs: Set<String>) {
        let followed = Set(subscriptions.map(\.chat))
        departures.removeAll { pending in
            guard let chat = pending.departure.chat, serverIDs.contains(chat.serverID) else { return false }
            return serverIDs.contains { followed.contains(Chat(serverID: $0, cwd: chat.cwd)) }
        }
    }

    /// Notes that the gateway has taken a departure. One from a whole server took along what is followed there under any id.
    mutating func confirm(_ departure: Departure, among serverIDs: Set<String>) {
        forget(departure)
        guard departure.chat == nil else { return }
        for index in subscriptions.indices where serverIDs.contains(subscriptions[index].chat.serverID) {
            subscriptions[index].registration = nil
        }
    }

    /// Notes that a departure has failed, and gives up what will never be taken.
    mutating func note(_ error: PushClientError, of departure: Departure, at now: Date) {
        guard let index = departures.firstIndex(where: { $0.departure == departure }) else { return }
        var failed = departures.remove(at: index)
        if !failed.isGivenUp(after: error, at: now) { departures.append(failed) }
    }

    /// Notes what the gateway took, unless the chat was unsubscribed meanwhile.
    mutating func note(_ registration: Registration, of chat: Chat) {
        if let index = index(of: chat) { subscriptions[index].registration = registration }
    }

    private func index(of chat: Chat) -> Int? { subscriptions.firstIndex { $0.chat == chat } }
}
