internal import JSON
internal import Messaging

/// The notification that it is a player's turn: pure, from the games to the message that is sent.
struct TurnNotification: Sendable {
    /// What nobody could be told of for a day is old news.
    static let lifetime = Duration.seconds(24 * 60 * 60)
    /// The most UTF-16 units of a game's name.
    private static let maximumNameLength = 240

    /// Where the games are, without a slash at its end.
    let site: String
    /// What the text begins with, in brackets.
    let label: String?

    /// - Parameter game: the first, which the links lead to.
    /// - Parameter count: of the games it is about.
    func message(_ game: Game, count: Int) -> Message {
        let custom: JSONObject = [
            "aps": ["badge": .integer(Int64(count)), "sound": "default"],
            "web_url": "\(site)/game/\(game.id)", "app_url": "ogs://game/\(game.id)", "game_id": .integer(game.id),
            "action": "open_game", "game_name": .string(game.name.truncated(to: Self.maximumNameLength)),
        ]
        return Message(
            notification: Message.Notification(title: "Your turn in Go!", body: prefix + text(game, count: count)),
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": "game_turn"],
                payload: custom))
    }

    private var prefix: String { label.map { "[\($0)] " } ?? "" }

    private func text(_ game: Game, count: Int) -> String {
        guard count == 1 else { return "It's your turn in \(count) games" }
        let name = game.name.shortened(to: Self.maximumNameLength)
        return "It's your turn in: " + (name.isEmpty ? "game \(game.id)" : name)
    }
}
