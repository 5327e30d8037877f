/// The result of one server's turn.
struct TurnReport: Sendable {
    /// `false` if the directory did not list the server at the time of the turn.
    var isListed = true
    var registered: Set<Chat> = []
    /// The errors of single chats.
    var refused: [Chat: PushClientError] = [:]
    /// The errors of single unsubscriptions.
    var departures: [Unsubscription: PushClientError] = [:]
    /// The error that ended the turn early, which applies to all that is still due.
    var stoppedBy: PushClientError?
    /// The chats whose registration is still due.
    var due: Set<Chat> = []

    /// `true` if the gateway fails at unsubscriptions. The others then wait for a later turn, to avoid many failing
    /// requests.
    var isFailingAtDepartures: Bool { departures.values.contains(where: \.mayHelpToRetry) }

    mutating func note(_ error: PushClientError, of step: SyncPlan.Step) {
        switch step {
        case .unregister(let departure, _): departures[departure] = error
        case .register(let chat, _, _): refused[chat] = error
        }
        if error.ends(step) { stoppedBy = error }
    }

    mutating func noteSuccess(of step: SyncPlan.Step) {
        if case .register(let chat, _, _) = step {
            registered.insert(chat)
            refused[chat] = nil
        }
    }

    /// Returns the error of an unsubscription.
    ///
    /// - Parameter isDue: `true` if the unsubscription is still due.
    func error(of departure: Unsubscription, isDue: Bool) -> PushClientError? {
        departures[departure] ?? (isDue ? stoppedBy ?? departures.values.first(where: \.mayHelpToRetry) : nil)
    }

    func error(of chat: Chat) -> PushClientError? { refused[chat] ?? (due.contains(chat) ? stoppedBy : nil) }
}

extension PushClientError {
    /// Returns `true` if the error ends the turn. A refused or failed unsubscription does not block registrations.
    fileprivate func ends(_ step: SyncPlan.Step) -> Bool {
        guard case .unregister = step else { return concernsWholeServer }
        return switch self {
        case .rateLimited, .unavailable(_, _?), .unreachable, .cancelled, .serversUnreadable, .storageFailed, .relay:
            true
        case .unavailable(_, nil), .unauthorized, .invalidRequest, .unexpectedAnswer, .unknownCode: false
        }
    }
}
