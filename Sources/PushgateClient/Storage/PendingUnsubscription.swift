import Foundation

/// An unsubscription of this device from a chat or from all chats of a server.
struct Unsubscription: Codable, Hashable, Sendable {
    let serverID: String
    /// The chat; `nil` for all chats of the server.
    let chat: Chat?

    init(_ chat: Chat) {
        serverID = chat.serverID
        self.chat = chat
    }

    init(serverID: String) {
        self.serverID = serverID
        chat = nil
    }
}

/// An unsubscription that the gateway has not confirmed.
struct PendingUnsubscription: Codable, Hashable, Sendable {
    /// The time after which it expires: a gateway removes a device that has not registered for this long.
    private static let lifetime: TimeInterval = 90 * 24 * 3_600
    /// The interval between attempts after a refusal.
    private static let refusalInterval: TimeInterval = 24 * 3_600
    /// The number of refusals (404 or 405) after which the gateway is known to lack the function, as first-generation
    /// gateways do. A single refusal may come from another server in the network, or from a gateway during its setup.
    private static let refusalsToGiveUp = 3

    let departure: Unsubscription
    /// The time of the user's request.
    let time: Date
    private var refusedAt: Date?
    private var missingFunctionCount = 0

    init(_ departure: Unsubscription, time: Date) {
        self.departure = departure
        self.time = time
    }

    func isDue(at now: Date) -> Bool {
        guard let refusedAt else { return true }
        return !(0..<Self.refusalInterval).contains(now.timeIntervalSince(refusedAt))
    }

    func isExpired(at now: Date) -> Bool { now.timeIntervalSince(time) >= Self.lifetime }

    /// Records the failure of an attempt.
    ///
    /// - Returns: `true` if there should be no further attempt.
    mutating func isGivenUp(after error: PushClientError, at now: Date) -> Bool {
        guard !error.mayHelpToRetry else { return false }
        refusedAt = now
        if [404, 405].contains(error.status) { missingFunctionCount += 1 }
        if case .invalidRequest = error { return true }
        return missingFunctionCount >= Self.refusalsToGiveUp
    }
}
