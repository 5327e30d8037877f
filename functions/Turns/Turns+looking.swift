internal import DocumentStore
internal import JSON
internal import Logging
internal import Messaging

/// What an app may ask: how a player's games stand now. Neither notifies, nor counts as having notified.
extension Turns {
    @Sendable func check(_ request: FunctionRequest) async throws -> FunctionResponse {
        let player = try player(of: request)
        let games = try await games(of: player, orThrow: .statusUnknown)
        let notified = NotifiedMoves(try await store.document(at: try TurnsDocuments.player(player)))
        let turns = games.filter { $0.isTurn(of: player) }
        return FunctionResponse(
            body: [
                "not_your_turn": Self.ids(games.filter { !$0.isTurn(of: player) }),
                "your_turn_new": Self.ids(turns.filter(notified.lacks)),
                "your_turn_old": Self.ids(turns.filter { !notified.lacks($0) }),
            ])
    }

    @Sendable func diagnostics(_ request: FunctionRequest) async throws -> FunctionResponse {
        let player = try player(of: request)
        let games = try await games(of: player, orThrow: .gamesUnknown)
        let documents = try await store.documents(
            at: [try TurnsDocuments.device(of: player), try TurnsDocuments.player(player)])
        let device = documents.first.flatMap { $0 }.flatMap(Device.init)
        let notifiedAt = NotifiedMoves(documents.last.flatMap { $0 }).notifiedAt
        return FunctionResponse(
            body: [
                "user_id": .string(player.description), "device_token_registered": .bool(device != nil),
                "device_token_preview": .string(device.map { Self.preview(of: $0.token) } ?? ""),
                "last_notification_time": .integer((notifiedAt?.microseconds ?? 0) / 1_000),
                "monitored_games": .array(games.map { $0.diagnosis(for: player) }),
                "total_active_games": .integer(Int64(games.count)),
                "server_check_interval": .string(configuration.interval.asGoWritesIt),
                "last_server_check_time": .integer(loop.lastLook(at: player)),
            ])
    }

    private func games(of player: PlayerID, orThrow failure: TurnsError) async throws(TurnsError) -> [Game] {
        do {
            let games = try await visitors.reserving(1) { try await site.games(of: player, for: .visitor) }
            guard let games else { throw GameSiteError.busy }
            return games
        } catch {
            logger.debug("could not look at a player's games", metadata: ["player": "\(player)", "error": "\(error)"])
            throw failure
        }
    }

    private static func ids(_ games: [Game]) -> JSONValue { .array(games.map { .integer($0.id) }) }

    /// Enough to recognise a token by, and never most of it.
    private static func preview(of token: String) -> String { token.prefix(min(16, token.count / 2)) + "..." }
}

extension Game {
    fileprivate func diagnosis(for player: PlayerID) -> JSONValue {
        [
            "game_id": .integer(id), "last_move_timestamp": .integer(lastMove),
            "current_player": .integer(currentPlayer), "is_your_turn": .bool(isTurn(of: player)),
            "game_name": .string(name),
        ]
    }
}
