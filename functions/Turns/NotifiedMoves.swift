import DocumentStore

/// The moves that a player has been notified of: the last move of each game.
///
/// `turnPlayers/{…}`: `lastMoves`, a map from a game's id to milliseconds since 1970; `lastGames`, the ids of the games
/// of the last notification; `notifiedAt`, its time
struct NotifiedMoves: Sendable {
    enum Field {
        static let lastMoves = "lastMoves"
        static let lastGames = "lastGames"
        static let notifiedAt = "notifiedAt"
    }

    private(set) var lastMoves: [Int64: Int64] = [:]
    private(set) var lastGames: Set<Int64> = []
    private(set) var notifiedAt: Timestamp?
    private let updateTime: Timestamp?

    /// - Parameter document: The stored document; `nil` if the player has had no notification yet.
    init(_ document: Document?) {
        updateTime = document?.updateTime
        notifiedAt = document?[Field.notifiedAt]?.timestamp
        for (id, time) in document?[Field.lastMoves]?.map ?? [:] {
            if let id = Int64(id), let time = time.integer { lastMoves[id] = time }
        }
        lastGames = Set((document?[Field.lastGames]?.array ?? []).compactMap(\.integer))
    }

    /// Returns `true` if the game's last move is newer than the notified one.
    func lacks(_ game: Game) -> Bool { game.lastMove > lastMoves[game.id] ?? 0 }

    /// Adds the moves of a new notification and removes games that have ended.
    mutating func note(_ news: [Game], among games: [Game], at time: Timestamp) {
        var kept: [Int64: Int64] = [:]
        for game in games { kept[game.id] = lastMoves[game.id] }
        // A site may list a game twice.
        for game in news { kept[game.id] = max(kept[game.id] ?? 0, game.lastMove) }
        lastMoves = kept
        lastGames = Set(news.map(\.id))
        notifiedAt = time
    }

    /// Forgets all moves, but keeps the time of the last notification.
    mutating func forget() { (lastMoves, lastGames) = ([:], []) }

    /// Returns a write that fails if another request has changed the document since it was read.
    func write(at path: DocumentPath) -> Write {
        var fields: Fields = [
            Field.lastMoves: .map(Fields(lastMoves.map { (String($0.key), Value.integer($0.value)) })),
            Field.lastGames: .array(lastGames.sorted().map(Value.integer)),
        ]
        fields[Field.notifiedAt] = notifiedAt.map(Value.timestamp)
        return .set(path, fields, precondition: updateTime.map(Precondition.updateTime) ?? .exists(false))
    }
}
