import Cryptography
import HTTP2Client
import Messaging

/// One notification on its way to its outcome: one request, and a further one only where that has decided nothing.
///
/// It is one object, which the callbacks of all its requests share.
final class APNsFlight: Sendable {
    /// A request of the notification.
    private struct Attempt: Sendable {
        /// The outcome by the first route, if this is a request by the second one.
        var first: Outcome?
        /// `true` for the second request by a route.
        var isRepeated = false
        var isOnNewConnection = false
    }

    private let message: PreparedAPNsMessage
    private let notification: OutgoingNotification
    private let completion: @Sendable (Outcome) -> Void

    init(
        of message: PreparedAPNsMessage, _ notification: OutgoingNotification,
        completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.message = message
        self.notification = notification
        self.completion = completion
    }

    private var transport: APNsTransport { message.transport }

    /// Sends the notification by the first route. Mostly this is the only request, whose callback has nothing but this
    /// object.
    func begin() { send(Attempt()) { [self] result in receive(transport.answer(in: result), to: Attempt()) } }

    private func perform(_ attempt: Attempt) {
        send(attempt) { [self] result in receive(transport.answer(in: result), to: attempt) }
    }

    private func send(_ attempt: Attempt, _ completion: @escaping HTTP2Client.Completion) {
        let route = attempt.first == nil ? message.route : message.secondRoute ?? message.route
        do throws(CryptographyError) {
            try transport.send(
                message, notification, by: route, isOnNewConnection: attempt.isOnNewConnection, completion: completion)
        } catch {
            receive(.failure(.signature(error)), to: attempt)
        }
    }

    private func receive(_ answer: APNsTransport.Answer, to attempt: Attempt) {
        if let next = repetition(of: attempt, after: answer) { return perform(next) }
        conclude(transport.outcome(of: answer), of: attempt)
    }

    /// Returns a request that is sent once more immediately, if the connection brought no answer or was spoiled by an
    /// expired provider token. It is unknown if APNs accepted a notification whose connection was lost; the second one
    /// has the same id.
    private func repetition(of attempt: Attempt, after answer: APNsTransport.Answer) -> Attempt? {
        guard !attempt.isRepeated else { return nil }
        switch answer {
        case .success(let answer) where answer.wantsNewProviderToken:
            transport.reportExpiredToken()
            return Attempt(first: attempt.first, isRepeated: true, isOnNewConnection: true)
        case .failure(.client(let error)) where error.isOfConnection:
            return Attempt(first: attempt.first, isRepeated: true)
        case .success, .failure: return nil
        }
    }

    /// Ends with the outcome by a route. If the environment of the first one does not know the token, sends by the
    /// second: the token may be valid there.
    private func conclude(_ outcome: Outcome, of attempt: Attempt) {
        guard let second = message.secondRoute else { return completion(message.conclusion(outcome)) }
        if let first = attempt.first {
            completion(message.conclusion(Self.outcome(first, then: outcome, by: second)))
        } else if outcome.isUnknownToken {
            perform(Attempt(first: outcome))
        } else {
            completion(message.conclusion(outcome))
        }
    }

    private static func outcome(_ first: Outcome, then second: Outcome, by route: APNsRoute) -> Outcome {
        switch second {
        case .accepted: return .accepted(Acceptance(found: AppIdentity(environment: route.environment)))
        // The token may not belong to that environment, and the lane's own route is not at fault.
        case .failed(let failure) where failure.code == .thirdPartyAuthError && !failure.isPassing:
            return .rejected(Rejection(code: .invalidRegistrationToken, reason: failure.reason))
        case .failed(let failure):
            return .failed(Failure(code: failure.code, reason: failure.reason, retryAfter: failure.retryAfter))
        case .rejected(let rejection) where rejection.code == .registrationTokenNotRegistered:
            return .rejected(rejection)
        default: return first
        }
    }
}

extension HTTP2ClientError {
    /// `true` if the connection brought no answer, so another connection may.
    var isOfConnection: Bool { kind == .refused || kind == .connectionLost }
}
