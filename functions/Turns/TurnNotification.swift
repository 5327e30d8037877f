import JSON
import Messaging

/// The notification that it is a player's turn, which turns games into a message without I/O.
struct TurnNotification: Sendable {
    /// The time after which a turn is too old to be notified.
    static let lifetime = Duration.seconds(24 * 60 * 60)
    /// The maximum length of a game's name, in UTF-16 units.
    private static let maximumNameLength = 240

    /// The game site's URL, without a slash at its end.
    let site: String
    /// The label at the beginning of the text, in brackets.
    let label: String?

    /// - Parameters:
    ///   - game: The first game, to which the links lead.
    ///   - count: The number of games in the notification.
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
