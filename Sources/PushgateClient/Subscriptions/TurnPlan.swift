internal import Foundation

/// What one server's gateway does not know yet, one step at a time: departures first, then the chat that was opened, then
/// the others.
///
/// It is asked again after every step, so a token or a list that changes meanwhile is seen.
struct TurnPlan: Sendable {
    let turn: Turn
    let calls: GatewayCalls
    let policy: RegistrationPolicy
    /// The phone's token, when it is known.
    let token: String?
    let now: Date

    struct Opening: Hashable, Sendable {
        let chat: Chat
        let time: Date
    }

    enum Step: Hashable, Sendable {
        case unregister(Departure, GatewayRequest)
        case register(Chat, GatewayRequest, fingerprint: String)

        var request: GatewayRequest {
            switch self {
            case .unregister(_, let request), .register(_, let request, _): request
            }
        }
    }

    /// - Parameters:
    ///   - tried: what is not to be repeated in this turn.
    ///   - departing: whether to go on with departures.
    func nextStep(in state: SubscriptionState, except tried: Set<Step>, departing: Bool) -> Step? {
        let departures = departing ? dueDepartures(in: state) : []
        return (departures + dueRegistrations(in: state)).first { !tried.contains($0) }
    }

    /// The chats whose registration the gateway lacks, or is to be told again.
    func dueChats(in state: SubscriptionState) -> Set<Chat> {
        Set(
            dueRegistrations(in: state).compactMap { step in
                if case .register(let chat, _, _) = step { chat } else { nil }
            })
    }

    private func dueDepartures(in state: SubscriptionState) -> [Step] {
        state.departures.filter { turn.serverIDs.contains($0.departure.serverID) && $0.isDue(at: now) }
            .map { .unregister($0.departure, calls.unregistration(of: $0.departure)) }
    }

    private func dueRegistrations(in state: SubscriptionState) -> [Step] {
        guard let token else { return [] }
        let own = state.subscriptions.filter { turn.serverIDs.contains($0.chat.serverID) }
        let opened = own.filter { $0.chat == turn.opening?.chat }
        let others = own.filter { $0.chat != turn.opening?.chat }
        return (opened + others).compactMap { step(for: $0, token: token) }
    }

    private func step(for subscription: ChatSubscription, token: String) -> Step? {
        let request = calls.registration(of: subscription, token: token)
        let fingerprint = calls.fingerprint(of: request)
        let openedAt = turn.opening?.chat == subscription.chat ? turn.opening?.time : nil
        guard policy.isDue(subscription.registration, fingerprint: fingerprint, openedAt: openedAt, now: now) else {
            return nil
        }
        return .register(subscription.chat, request, fingerprint: fingerprint)
    }
}
