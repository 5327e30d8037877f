import DocumentStore
import Logging
import Messaging

/// A check of players' games, which notifies them of new turns.
struct TurnWatch: Sendable {
    /// The stored knowledge about a player, before a notification.
    struct Knowledge: Sendable {
        /// The device; `nil` if the player has none.
        let device: Device?
        let notified: NotifiedMoves
    }

    /// The result of a poll.
    enum Finding: Hashable, Sendable {
        case looked
        /// The player has no device.
        case notRegistered
        /// The site's response is missing or unusable, or requests to it are paused.
        case gamesUnknown(GameSiteError)
    }

    private static let source = Turns.source

    let site: GameSite
    let store: any DocumentStore
    let outbox: Outbox
    let notification: TurnNotification
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// Fetches a player's games and sends a notification of new turns, if any.
    func look(at player: PlayerID) async throws(StoreError) -> Finding {
        let path = try TurnsDocuments.device(of: player)
        guard try await store.document(at: path) != nil else { return .notRegistered }
        let games: [Game]
        do {
            games = try await site.games(of: player)
        } catch {
            return .gamesUnknown(error)
        }
        // Usually it is no turn of the player's.
        guard games.contains(where: { $0.isTurn(of: player) }) else { return .looked }
        return try await tell(player, of: games).device == nil ? .notRegistered : .looked
    }

    /// Sends a notification of the new turns among a player's games, if there are any and the player has a device.
    ///
    /// - Returns: The knowledge that decided about the new turns.
    func tell(_ player: PlayerID, of games: [Game]) async throws(StoreError) -> Knowledge {
        let memory = try TurnsDocuments.player(player)
        let documents = try await store.documents(at: [try TurnsDocuments.device(of: player), memory])
        let knowledge = Knowledge(
            device: documents.first.flatMap { $0 }.flatMap(Device.init),
            notified: NotifiedMoves(documents.last.flatMap { $0 }))
        if let device = knowledge.device {
            try await tell(player, device, of: games, notified: knowledge.notified, memory)
        }
        return knowledge
    }

    /// Commits the message with the record of its moves, so a restart repeats nothing and skips nothing.
    private func tell(
        _ player: PlayerID, _ device: Device, of games: [Game], notified: NotifiedMoves, _ memory: DocumentPath
    ) async throws(StoreError) {
        let turns = games.filter { $0.isTurn(of: player) }
        guard let new = turns.first(where: notified.lacks) else { return }
        // One that waits, such as for its retry, is replaced by this one, which then is about its games too.
        let replacesLast = try await outbox.isWaiting(
            notification.message(new, count: 1), of: Self.source, for: device)
        let news = turns.filter { notified.lacks($0) || replacesLast && notified.lastGames.contains($0.id) }
        let first = news.first ?? new
        log("checked a player's games", player, turns: news.count)
        var notified = notified
        notified.note(news, among: games, at: now())
        do {
            let delivery = try await outbox.send(
                notification.message(first, count: news.count), of: Self.source, for: TurnNotification.lifetime,
                to: [device], alongside: [notified.write(at: memory)])
            log("queued a notification of turns", player, turns: news.count, message: delivery.messageID)
        } catch {
            // Another request has notified the player at the same moment.
            guard error.code == .failedPrecondition || error.code == .alreadyExists else { throw error }
        }
    }

    private func log(_ message: Logger.Message, _ player: PlayerID, turns: Int, message id: String? = nil) {
        var metadata: Logger.Metadata = ["player": "\(player)", "turns": "\(turns)"]
        if let id { metadata["message"] = "\(id)" }
        logger.info(message, metadata: metadata)
    }
}
