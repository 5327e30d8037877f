import DocumentStore
import HTTPTypes
import JSON
import Logging
import Messaging

/// The shared parts of the endpoints: the API key, and the form of errors.
extension Turns {
    var group: EndpointGroup<TurnsError> {
        EndpointGroup("turns", TurnsError.self, logger: logger) { try authorize($0) }
    }

    private func authorize(_ request: FunctionRequest) throws(TurnsError) {
        guard !settings.apiKeys.isEmpty else {
            if let reason = request.originRefusal { throw .foreignOrigin(reason) }
            return
        }
        let field = HTTPField.Name("X-API-Key").flatMap { request.headerFields[$0] }
        let key = BearerCredential(field?.trimmingWhitespace())
        let isRight = key.map(settings.apiKeys.contains) ?? false
        switch request.verdict(on: key, isRight: isRight, by: authentication, at: now().seconds) {
        case .accepted: return
        case .tooManyFailures(let seconds): throw .tooManyFailures(retryAfter: seconds)
        case .rejected: throw key == nil ? .keyRequired : .invalidKey
        }
    }

    func player(of request: FunctionRequest) throws(TurnsError) -> PlayerID {
        guard let player = PlayerID(request.parameters["user_id"] ?? "") else { throw .invalidUserID }
        return player
    }
}

/// The endpoints that show a player's current games.
extension Turns {
    /// Notifies the player of new turns, as a poll does. The response calls them new, since they were.
    @Sendable func check(_ request: FunctionRequest) async throws -> FunctionResponse {
        let player = try player(of: request)
        let games = try await games(of: player, orThrow: .statusUnknown)
        let notified = try await watch.tell(player, of: games).notified
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
        var body: JSONObject = [
            "user_id": .string(player.description), "device_token_registered": .bool(device != nil),
            "last_notification_time": .integer((notifiedAt?.microseconds ?? 0) / 1_000),
            "monitored_games": .array(games.map { $0.diagnosis(for: player) }),
            "total_active_games": .integer(Int64(games.count)),
            "server_check_interval": .string(settings.interval.asGoWritesIt),
            "last_server_check_time": .integer(loop.lastLook(at: player) ?? now().seconds),
        ]
        body["device_token_preview"] = device.map { .string(Self.preview(of: $0.address.token.value)) }
        return FunctionResponse(body: .object(body))
    }

    private func games(of player: PlayerID, orThrow failure: TurnsError) async throws(TurnsError) -> [Game] {
        do {
            let games = try await onDemandBudget.reserving(1) { try await site.games(of: player, for: .visitor) }
            guard let games else { throw GameSiteError.busy }
            return games
        } catch {
            logger.debug("failed to fetch a player's games", metadata: ["player": "\(player)", "error": "\(error)"])
            throw failure
        }
    }

    private static func ids(_ games: [Game]) -> JSONValue { .array(games.map { .integer($0.id) }) }

    /// Returns enough of a token to recognise it, at most half of it.
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

extension Duration {
    /// The duration as Go's [Duration.String](https://pkg.go.dev/time#Duration.String) formats a second or more, such
    /// as `1m30s`: in nanoseconds, without trailing zeros.
    var asGoWritesIt: String {
        let (seconds, attoseconds) = components
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        let prefix = hours > 0 ? "\(hours)h\(minutes)m" : minutes > 0 ? "\(minutes)m" : ""
        return prefix + "\(seconds % 60)\(Self.fraction(attoseconds / 1_000_000_000))s"
    }

    private static func fraction(_ nanoseconds: Int64) -> String {
        guard nanoseconds > 0 else { return "" }
        var digits = String(nanoseconds)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "." + digits
    }
}

/// The errors that clients receive, as a line of plain text. docs/functions/turns.md has the table.
struct TurnsError: FunctionError, Hashable {
    let status: HTTPResponse.Status
    /// The code for metrics.
    let code: String
    let message: String
    /// The delay after which a retry may succeed, in seconds.
    var retryAfter: Int64?
    /// The methods that the path has, if the request's is none of them.
    var allowed: String?

    static let keyRequired = TurnsError(status: .unauthorized, code: "unauthorized", message: "API key required")
    static let invalidKey = TurnsError(status: .unauthorized, code: "unauthorized", message: "Invalid API key")
    static let invalidJSON = invalid("Invalid JSON")
    static let fieldsRequired = invalid("user_id and device_token are required")
    static let tokenAndSubscription = invalid(SubscriptionField.problem(beside: "device_token"))
    static let invalidUserID = invalid("Invalid user ID")
    static let tokenRequired = invalid("Device token is required")
    static let tokenTooLong = invalid("Device token is too long")
    static let tooLarge = TurnsError(
        status: .contentTooLarge, code: "too_large",
        message: "The body is larger than \(Turns.maximumBodyBytes) bytes")
    static let unsupportedEncoding = TurnsError(
        status: .unsupportedMediaType, code: "unsupported_encoding", message: RequestBodyError.unsupportedEncodingText)
    static let nothingHere = TurnsError(status: .notFound, code: "not_found", message: "Not found")
    static let statusUnknown = TurnsError(
        status: .internalServerError, code: "site_failed", message: "Failed to fetch turn status")
    static let gamesUnknown = TurnsError(
        status: .serviceUnavailable, code: "site_failed", message: "Failed to fetch user games", retryAfter: 5)
    static let internalError = TurnsError(
        status: .internalServerError, code: "internal_error", message: "Internal server error")
    /// Nothing was accepted; the store cannot write at the moment.
    static let unavailable = TurnsError(
        status: .serviceUnavailable, code: "unavailable", message: "Try again in a few seconds", retryAfter: 5)
    static let noRoom = TurnsError(
        status: .serviceUnavailable, code: "unavailable", message: DiskAdvice.text, retryAfter: 5)

    static func methodNotAllowed(_ allowed: String) -> TurnsError {
        TurnsError(
            status: .methodNotAllowed, code: "method_not_allowed", message: "Method Not Allowed", allowed: allowed)
    }

    static func tooManyPlayers(retryAfter seconds: Int64) -> TurnsError {
        TurnsError(
            status: .tooManyRequests, code: "rate_limited", message: "Too many registrations, try again later",
            retryAfter: seconds)
    }

    /// The request may come from a page of another site, and no key is required.
    static func foreignOrigin(_ reason: String) -> TurnsError {
        TurnsError(status: .forbidden, code: "foreign_origin", message: reason)
    }

    static func tooManyFailures(retryAfter seconds: Int64) -> TurnsError {
        TurnsError(
            status: .tooManyRequests, code: "rate_limited", message: "Too many failed attempts, try again later",
            retryAfter: seconds)
    }

    private static func invalid(_ message: String) -> TurnsError {
        TurnsError(status: .badRequest, code: "invalid_input", message: message)
    }

    var response: FunctionResponse {
        var headerFields: HTTPFields = [:]
        headerFields[.retryAfter] = retryAfter.map(String.init)
        headerFields[.allow] = allowed
        if status == .unsupportedMediaType { headerFields[.acceptEncoding] = RequestBodyError.acceptedEncodings }
        return FunctionResponse(status: status, headerFields: headerFields, content: .text(message + "\n"))
    }
}

extension TurnsError {
    static func translation(of error: any Error) -> TurnsError? {
        (error as? SubscriptionFieldError).map { invalid($0.text) }
    }

    init(_ error: JSONBodyError) {
        self =
            switch error {
            case .unreadable(.tooLarge): .tooLarge
            case .unreadable(.unsupportedEncoding): .unsupportedEncoding
            case .unreadable(.incomplete), .unreadable(.malformedEncoding), .malformed, .notAnObject: .invalidJSON
            }
    }
}
