import Foundation

/// The requests that are due to one server's gateway, in steps: unsubscriptions first, then the opened chat, then other
/// chats.
///
/// It is evaluated again after every step, so that it reflects changes of the token and the list.
struct SyncPlan: Sendable {
    let turn: Sync
    let calls: GatewayCalls
    let policy: RegistrationPolicy
    /// The way to this device; `nil` if it is not known yet.
    let recipient: Recipient?
    let now: Date

    /// The opening of a chat.
    struct Opening: Hashable, Sendable {
        let chat: Chat
        let time: Date
    }

    /// A request and its subject.
    enum Step: Hashable, Sendable {
        case unregister(Unsubscription, GatewayRequest)
        case register(Chat, GatewayRequest, fingerprint: String)

        var request: GatewayRequest {
            switch self {
            case .unregister(_, let request), .register(_, let request, _): request
            }
        }
    }

    /// Returns the next step; `nil` if none is due.
    ///
    /// - Parameters:
    ///   - tried: The steps of this turn so far, which are not repeated.
    ///   - departing: `false` to skip unsubscriptions.
    func nextStep(in state: SubscriptionState, except tried: Set<Step>, departing: Bool) -> Step? {
        let departures = departing ? dueDepartures(in: state) : []
        return (departures + dueRegistrations(in: state)).first { !tried.contains($0) }
    }

    /// Returns the chats whose registration is missing at the gateway, or due again.
    func dueChats(in state: SubscriptionState) -> Set<Chat> {
        Set(
            dueRegistrations(in: state).compactMap { step in
                if case .register(let chat, _, _) = step { chat } else { nil }
            })
    }

    /// Returns `true` if the gateway has accepted the present registration of a chat.
    func isRegistered(_ subscription: ChatSubscription) -> Bool {
        guard let recipient, let registration = subscription.registration else { return false }
        return registration.fingerprint == calls.fingerprint(of: calls.registration(of: subscription, to: recipient))
    }

    private func dueDepartures(in state: SubscriptionState) -> [Step] {
        state.departures.filter { turn.serverIDs.contains($0.departure.serverID) && $0.isDue(at: now) }
            .map { .unregister($0.departure, calls.unregistration(of: $0.departure)) }
    }

    private func dueRegistrations(in state: SubscriptionState) -> [Step] {
        guard let recipient else { return [] }
        let own = state.subscriptions.filter { turn.concerns($0.chat) }
        let opened = own.filter { $0.chat == turn.opening?.chat }
        let others = own.filter { $0.chat != turn.opening?.chat }
        return (opened + others).compactMap { step(for: $0, to: recipient) }
    }

    private func step(for subscription: ChatSubscription, to recipient: Recipient) -> Step? {
        let request = calls.registration(of: subscription, to: recipient)
        let fingerprint = calls.fingerprint(of: request)
        let openedAt = turn.opening?.chat == subscription.chat ? turn.opening?.time : nil
        guard policy.isDue(subscription.registration, fingerprint: fingerprint, openedAt: openedAt, now: now) else {
            return nil
        }
        return .register(subscription.chat, request, fingerprint: fingerprint)
    }
}
