internal import Foundation

/// What a gateway is to be told: that this phone wants no more of a chat, or of a whole server.
struct Departure: Codable, Hashable, Sendable {
    let serverID: String
    /// nil for the whole server.
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

/// A departure that its gateway has not confirmed.
struct PendingDeparture: Codable, Hashable, Sendable {
    /// As long as a gateway remembers a phone that does not register.
    private static let lifetime: TimeInterval = 90 * 24 * 3_600
    /// How often a gateway that refuses is asked again.
    private static let refusalInterval: TimeInterval = 24 * 3_600
    /// How many refusals make a gateway one of the first generation, which has no such function. A single one may be that
    /// of a network that answers in the gateway's place, or of a gateway that is just being set up.
    private static let refusalsToGiveUp = 3

    let departure: Departure
    /// When it was asked for.
    let time: Date
    private var refusedAt: Date?
    private var missingFunctionCount = 0

    init(_ departure: Departure, time: Date) {
        self.departure = departure
        self.time = time
    }

    func isDue(at now: Date) -> Bool {
        guard let refusedAt else { return true }
        return !(0..<Self.refusalInterval).contains(now.timeIntervalSince(refusedAt))
    }

    func isExpired(at now: Date) -> Bool { now.timeIntervalSince(time) >= Self.lifetime }

    /// Notes what the gateway answered.
    ///
    /// - Returns: whether to ask no more.
    mutating func isGivenUp(after error: PushClientError, at now: Date) -> Bool {
        guard !error.mayHelpToRetry else { return false }
        refusedAt = now
        if [404, 405].contains(error.status) { missingFunctionCount += 1 }
        if case .invalidRequest = error { return true }
        return missingFunctionCount >= Self.refusalsToGiveUp
    }
}
