internal import DocumentStore

/// What a player has been notified of: of each game the last move.
///
/// `turnPlayers/{…}`: `lastMoves`, a map from a game's id to milliseconds since 1970; `notifiedAt`, the last time
struct NotifiedMoves: Sendable {
    enum Field {
        static let lastMoves = "lastMoves"
        static let notifiedAt = "notifiedAt"
    }

    private(set) var lastMoves: [Int64: Int64] = [:]
    private(set) var notifiedAt: Timestamp?
    private let updateTime: Timestamp?

    /// - Parameter document: nil where nothing has been said yet.
    init(_ document: Document?) {
        updateTime = document?.updateTime
        notifiedAt = document?[Field.notifiedAt]?.timestamp
        for (id, time) in document?[Field.lastMoves]?.map ?? [:] {
            if let id = Int64(id), let time = time.integer { lastMoves[id] = time }
        }
    }

    /// Whether a move in the game is newer than what was said of it.
    func lacks(_ game: Game) -> Bool { game.lastMove > lastMoves[game.id] ?? 0 }

    /// Takes in what is being said now, and forgets the games that are over.
    mutating func note(_ news: [Game], among games: [Game], at time: Timestamp) {
        var kept: [Int64: Int64] = [:]
        for game in games { kept[game.id] = lastMoves[game.id] }
        // A site may list a game twice.
        for game in news { kept[game.id] = max(kept[game.id] ?? 0, game.lastMove) }
        lastMoves = kept
        notifiedAt = time
    }

    /// All but when it was said.
    mutating func forget() { lastMoves = [:] }

    /// Fails when somebody else has written since this was read.
    func write(at path: DocumentPath) -> Write {
        var fields: Fields = [
            Field.lastMoves: .map(
                Dictionary(uniqueKeysWithValues: lastMoves.map { (String($0.key), Value.integer($0.value)) }))
        ]
        fields[Field.notifiedAt] = notifiedAt.map(Value.timestamp)
        return .set(path, fields, precondition: updateTime.map(Precondition.updateTime) ?? .exists(false))
    }
}
