import JSON
import Messaging
import Testing

@testable import Functions

@Suite("The notification of turns", .timeLimit(.minutes(10)))
struct TurnNotificationTests {
    private static func game(_ id: Int64, _ name: String) throws -> Game {
        try #require(Game(ScriptedSite.game(id, name, turnOf: 7, lastMove: 1)))
    }

    @Test("The notification of one game names it, and of several counts them with the first one's links")
    func message() throws {
        let notification = TurnNotification(site: "https://online-go.com", label: nil)
        let game = try Self.game(79_504_463, "test game")
        for (count, body) in [(1, "It's your turn in: test game"), (3, "It's your turn in 3 games")] {
            #expect(
                notification.message(game, count: count)
                    == Message(
                        notification: Message.Notification(title: "Your turn in Go!", body: body),
                        apns: Message.APNsConfiguration(
                            headers: [
                                "apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": "game_turn",
                            ],
                            payload: [
                                "aps": ["badge": .integer(Int64(count)), "sound": "default"],
                                "web_url": "https://online-go.com/game/79504463", "app_url": "ogs://game/79504463",
                                "game_id": 79_504_463, "action": "open_game", "game_name": "test game",
                            ])))
        }
    }

    @Test("The notification of turns begins with the label and links to the configured site")
    func label() throws {
        let message = TurnNotification(site: "http://127.0.0.1:9", label: "dev").message(
            try Self.game(5, "a game"), count: 1)
        #expect(message.notification?.body == "[dev] It's your turn in: a game")
        #expect(message.apns?.payload["web_url"] == "http://127.0.0.1:9/game/5")
    }

    @Test(
        "The name of a game is cut to fit the notification",
        arguments: [
            ("", "It's your turn in: game 5"), (" \n", "It's your turn in: game 5"), ("a\nb", "It's your turn in: a b"),
            (String(repeating: "碁", count: 500), "It's your turn in: " + String(repeating: "碁", count: 239) + "…"),
        ])
    func names(name: String, body: String) throws {
        let message = TurnNotification(site: "https://online-go.com", label: nil).message(
            try Self.game(5, name), count: 1)
        #expect(message.notification?.body == body)
        #expect((message.apns?.payload["game_name"]?.string?.utf16.count ?? 999) <= 240)
    }

    @Test(
        "Games are read from the site's answer, and invalid ones are skipped",
        arguments: [
            (#"{"active_games":[]}"#, []), (#"{"active_games":[{"id":3},7,{"name":"x"},{"id":0}]}"#, [3]),
            (#"{"active_games":[{"id":3,"json":{"clock":{"current_player":7,"last_move":1.0e3}}}]}"#, [3]),
        ] as [(String, [Int64])])
    func games(answer: String, ids: [Int64]) {
        #expect([Game](answer: Array(answer.utf8))?.map(\.id) == ids)
    }

    @Test(
        "An answer of the site without a list of games is invalid",
        arguments: ["", "<html>", "[]", "{}", #"{"active_games":null}"#, #"{"active_games":{"id":3}}"#])
    func noGames(answer: String) {
        #expect([Game](answer: Array(answer.utf8)) == nil)
    }
}
