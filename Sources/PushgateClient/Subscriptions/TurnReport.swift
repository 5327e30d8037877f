/// What became of one server's turn.
struct TurnReport: Sendable {
    /// False when the directory did not list the server by the time of its turn.
    var isListed = true
    var registered: Set<Chat> = []
    /// Errors of single chats.
    var refused: [Chat: PushClientError] = [:]
    /// Errors of single departures.
    var departures: [Departure: PushClientError] = [:]
    /// What ended the turn early, and so all that is still due meets with.
    var stoppedBy: PushClientError?
    /// What is still due.
    var due: Set<Chat> = []

    /// Whether the gateway fails at departures: then the others wait, lest many callers ask about each of them.
    var isFailingAtDepartures: Bool { departures.values.contains(where: \.mayHelpToRetry) }

    mutating func note(_ error: PushClientError, of step: TurnPlan.Step) {
        switch step {
        case .unregister(let departure, _): departures[departure] = error
        case .register(let chat, _, _): refused[chat] = error
        }
        if error.ends(step) { stoppedBy = error }
    }

    mutating func noteSuccess(of step: TurnPlan.Step) {
        if case .register(let chat, _, _) = step {
            registered.insert(chat)
            refused[chat] = nil
        }
    }

    /// - Parameter isDue: whether the departure is still to be told.
    func error(of departure: Departure, isDue: Bool) -> PushClientError? {
        departures[departure] ?? (isDue ? stoppedBy ?? departures.values.first(where: \.mayHelpToRetry) : nil)
    }

    func error(of chat: Chat) -> PushClientError? { refused[chat] ?? (due.contains(chat) ? stoppedBy : nil) }
}

extension PushClientError {
    /// Whether a turn ends with the error. A departure that is refused, or at which the gateway fails, holds nothing else up.
    fileprivate func ends(_ step: TurnPlan.Step) -> Bool {
        guard case .unregister = step else { return concernsWholeServer }
        return switch self {
        case .rateLimited, .unavailable(_, _?), .unreachable, .cancelled, .serversUnreadable, .storageFailed: true
        case .unavailable(_, nil), .unauthorized, .invalidRequest, .unexpectedAnswer: false
        }
    }
}
