internal import JSON

/// A game that is under way, as the site describes it.
struct Game: Hashable, Sendable {
    let id: Int64
    /// May be empty.
    let name: String
    /// Whose turn it is; 0 when the site does not say.
    let currentPlayer: Int64
    /// When the last move was made, in milliseconds since 1970; 0 when the site does not say.
    let lastMove: Int64

    /// nil for what has no id.
    init?(_ value: JSONValue) {
        guard let object = value.object, let id = LooseFields(object).integer("id"), id > 0 else { return nil }
        let clock = LooseFields(object["json"]?["clock"]?.object ?? [:])
        self.id = id
        name = object["name"]?.string ?? ""
        currentPlayer = clock.integer("current_player") ?? 0
        lastMove = clock.integer("last_move") ?? 0
    }

    func isTurn(of player: PlayerID) -> Bool { currentPlayer == player.number }
}

extension [Game] {
    /// The most games of one player that are looked at: what was last said of each must fit one document.
    static let limit = 5_000

    /// The games in the site's answer about a player, in its order; nil when it is no such answer.
    init?(answer body: [UInt8]) {
        guard let games = (try? JSONValue(parsing: body))?["active_games"]?.array else { return nil }
        self = games.lazy.compactMap(Game.init).prefix(Self.limit).map(\.self)
    }
}
