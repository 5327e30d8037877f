import JSON
import Messaging
import Texts

/// An active game, as the site describes it.
struct Game: Hashable, Sendable {
    let id: Int64
    /// The game's name, possibly empty.
    let name: String
    /// The player to move; 0 if the site does not send one.
    let currentPlayer: Int64
    /// The time of the last move, in milliseconds since 1970; 0 if the site does not send it.
    let lastMove: Int64

    /// Returns `nil` if the value has no id.
    init?(_ value: JSONValue) {
        guard let object = value.object, let id = LooseFields(object).integer("id"), id > 0 else { return nil }
        let clock = LooseFields(object["json"]?["clock"]?.object ?? [:])
        self.id = id
        name = object["name"]?.string ?? ""
        currentPlayer = clock.integer("current_player") ?? 0
        lastMove = clock.integer("last_move") ?? 0
    }

    /// Returns `true` if it is the player's turn.
    func isTurn(of player: PlayerID) -> Bool { currentPlayer == player.number }
}

extension [Game] {
    /// The maximum number of games per player. The last moves of all of them must fit in one document.
    static let limit = 5_000

    /// Reads the games in the site's response about a player, in its order. Returns `nil` if the body has another
    /// form.
    init?(answer body: [UInt8]) {
        guard let games = (try? JSONValue(parsing: body))?["active_games"]?.array else { return nil }
        self = games.lazy.compactMap(Game.init).prefix(Self.limit).map(\.self)
    }
}

/// A player's number at the site.
struct PlayerID: Hashable, Sendable, CustomStringConvertible {
    let number: Int64

    /// Returns `nil` if the text is not a positive integer. Leading zeros are ignored, so two spellings are the same
    /// player.
    init?(_ text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit),
            let number = Int64(text), number > 0
        else { return nil }
        self.number = number
    }

    var description: String { String(number) }
}
