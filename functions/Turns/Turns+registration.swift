import DocumentStore
import JSON
import Logging
import Messaging

/// The endpoints for the players' devices.
extension Turns {
    /// The maximum size of a body, in bytes. It contains a number and a token.
    static let maximumBodyBytes = 64 * 1024
    /// The same limit as in other systems.
    private static let maximumTokenLength = 4_096

    /// Registers a device. Each player has one device, and the last one wins.
    @Sendable func register(_ request: FunctionRequest) async throws -> FunctionResponse {
        let object = try await request.jsonObject(limit: Self.maximumBodyBytes)
        let (userID, token) = (try text("user_id", in: object), try text("device_token", in: object))
        let subscription = try devices.subscription(in: object)
        guard !userID.isEmpty, !token.isEmpty || subscription != nil else { throw TurnsError.fieldsRequired }
        guard token.isEmpty || subscription == nil else { throw TurnsError.tokenAndSubscription }
        guard let player = PlayerID(userID) else { throw TurnsError.invalidUserID }
        guard token.utf8.count <= Self.maximumTokenLength else { throw TurnsError.tokenTooLong }
        let relayed = try devices.relayAddress(in: object, token: token, field: "device_token")
        if relayed == nil { try devices.reach.forms.check(token, in: "device_token") }
        if try await devices.device(player.description) == nil { try await admitNewPlayer(player, request) }
        let registered = try await devices.register(
            id: player.description, (subscription ?? relayed).map(DeviceAddress.subscription) ?? .token(token),
            platform: subscription == nil ? "ios" : "web", asksForReceipts: LooseFields(object).asksForReceipts)
        loop.register(player)
        logger.info(
            "registered a player",
            metadata: ["player": "\(player)", "token": "\(registered.device.address.token)"])
        var answer: JSONObject = ["status": "registered"]
        SubscriptionField.note(formerRemovedAt: registered.formerRemovedAt, in: &answer)
        return FunctionResponse(body: .object(answer))
    }

    /// Admits a player without a device. Notifications to a removed device may not have arrived, so they are sent
    /// again.
    private func admitNewPlayer(_ player: PlayerID, _ request: FunctionRequest) async throws {
        try admit(request)
        let path = try TurnsDocuments.player(player)
        guard let document = try await store.document(at: path) else { return }
        var notified = NotifiedMoves(document)
        notified.forget()
        _ = try await store.commit([notified.write(at: path)])
    }

    /// Limits new players, because each of them costs requests while a device is registered.
    private func admit(_ request: FunctionRequest) throws(TurnsError) {
        guard settings.newPlayersPerHourPerAddress > 0 else { return }
        if let seconds = newPlayers.admit(request.clientAddress, at: now().seconds) {
            throw TurnsError.tooManyPlayers(retryAfter: seconds)
        }
    }

    @Sendable func usersByToken(_ request: FunctionRequest) async throws -> FunctionResponse {
        let token = (request.parameters["device_token"] ?? "").trimmingWhitespace()
        guard !token.isEmpty else { throw TurnsError.tokenRequired }
        // The text of a subscription stands for its endpoint.
        let address = devices.reach.forms.address(of: token)
        let players = try await directory.players(withToken: address.token.value)
        return FunctionResponse(
            body: [
                "device_token": .string(token), "user_ids": .array(players.map { .string($0.description) }),
            ])
    }

    /// Returns the text without the white space around it, or an empty one if it is absent. Throws an error for
    /// values of other types. As in Go, a member's name is in any case, the last of several counts, and `null` does
    /// not.
    private func text(_ name: String, in object: JSONObject) throws(TurnsError) -> String {
        var last = ""
        for (_, value) in object.members.filter({ $0.name.lowercased() == name }) {
            switch value {
            case .null: continue
            case .string(let text): last = text
            default: throw .invalidJSON
            }
        }
        return last.trimmingWhitespace()
    }
}
