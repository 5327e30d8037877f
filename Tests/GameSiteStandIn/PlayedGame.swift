package import JSON

/// A game in the site's form.
package struct PlayedGame: Hashable, Sendable {
    /// The id of the game.
    package var id: Int64
    /// The name of the game.
    package var name: String
    /// The player whose turn it is.
    package var currentPlayer: Int64
    /// The time of the last move in milliseconds since 1970.
    package var lastMove: Int64

    package init(_ id: Int64, _ name: String, turnOf currentPlayer: Int64, lastMove: Int64) {
        self.id = id
        self.name = name
        self.currentPlayer = currentPlayer
        self.lastMove = lastMove
    }

    /// The game as JSON, with some of the site's other fields, which readers must ignore.
    package var json: JSONValue {
        [
            "id": .integer(id), "name": .string(name), "width": 19, "height": 19, "private": false,
            "json": [
                "game_id": .integer(id), "phase": "play", "moves": [[3, 3, 1_500.5], [15, 15, 2_000]],
                "clock": [
                    "game_id": .integer(id), "current_player": .integer(currentPlayer),
                    "last_move": .integer(lastMove), "black_time": ["thinking_time": 259_200],
                ],
            ],
        ]
    }
}

extension PlayedGame {
    /// Reads a game; `nil` if it has no id.
    init?(_ json: JSONValue) {
        guard let id = json["id"]?.integer else { return nil }
        self.init(
            id, json["name"]?.string ?? "", turnOf: json["current_player"]?.integer ?? 0,
            lastMove: json["last_move"]?.integer ?? 0)
    }
}
