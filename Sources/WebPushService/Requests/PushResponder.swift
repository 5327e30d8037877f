import JSON
import Logging
import SimulatorTools

/// A responder that validates each request, answers it as its script says, stores it in the history, and gives an
/// accepted message to the broker.
///
/// All connections share one responder. The state of a connection (its validator, its number) is passed in.
struct PushResponder: Sendable {
    let broker: PushBroker
    let history: MessageHistory
    let scripts: PushScripts
    /// The delay of every answer. A script may add to it.
    let latency: Duration
    /// Returns the current time in milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// Returns a new id for a message.
    let makeToken: @Sendable () -> String
    let logger: Logger

    func respond(
        to request: PushRequest, connection: Int, validator: inout PushRequestValidator
    ) -> PushAnswer {
        let now = now()
        var answer =
            otherAnswer(request) ?? answer(request, connection: connection, now: now, validator: &validator)
        // A date in `retry-after` is relative to it (RFC 9110 §10.2.3).
        answer.headers.append(("date", HTTPDate.text(now / 1000)))
        return answer
    }

    private func answer(
        _ request: PushRequest, connection: Int, now: Int64, validator: inout PushRequestValidator
    ) -> PushAnswer {
        let verdict = validator.validate(request, now: now / 1000, find: broker.lookUp)
        let step = verdict.isAccepted ? takeStep(for: verdict) : nil
        let message = step?.isAccepted == true ? makeMessage(request, verdict, now: now) : nil
        let rejection = verdict.rejection ?? step.flatMap { Self.rejection($0, verdict.profile) }
        let answer = makeAnswer(
            request, verdict, step, rejection, messageID: message?.id ?? makeToken(), now: now)
        record(
            request, verdict, connection: connection, now: now, messageID: message?.id,
            status: answer.ending == .answer ? answer.status : nil, reason: rejection?.reason)
        if let message { broker.accept(message) }
        return answer
    }

    private func takeStep(for verdict: PushVerdict) -> ScriptedPushAnswer {
        verdict.token.flatMap(scripts.takeAnswer) ?? ScriptedPushAnswer(status: 201)
    }

    /// Returns the reason of a scripted answer; `nil` if its status is of success.
    private static func rejection(_ step: ScriptedPushAnswer, _ profile: PushServiceProfile) -> PushRejection? {
        guard step.status >= 300 else { return nil }
        let usual = profile.rejection(status: step.status)
        return PushRejection(
            status: step.status, reason: step.reason ?? usual.reason, errno: step.errno ?? usual.errno)
    }

    private func makeMessage(_ request: PushRequest, _ verdict: PushVerdict, now: Int64) -> PushMessage? {
        verdict.token.map { token in
            PushMessage(
                id: makeToken(), token: token, topic: verdict.topic, urgency: verdict.urgency,
                encoding: verdict.encoding, body: request.body, timeToLive: verdict.timeToLive, acceptedAt: now)
        }
    }

    private func makeAnswer(
        _ request: PushRequest, _ verdict: PushVerdict, _ step: ScriptedPushAnswer?, _ rejection: PushRejection?,
        messageID: String, now: Int64
    ) -> PushAnswer {
        var answer =
            if let rejection {
                PushAnswer.rejected(verdict.profile, rejection, cause: verdict.cause)
            } else {
                PushAnswer.accepted(
                    verdict.profile, status: step?.status ?? 201, messageID: messageID, origin: request.origin,
                    timeToLive: verdict.timeToLive)
            }
        answer.delay = latency + (step?.delay ?? .zero)
        answer.ending = step?.ending ?? .answer
        if let retryAfter = step?.retryAfter { answer.add(retryAfter, now: now / 1000) }
        return answer
    }

    private func record(
        _ request: PushRequest, _ verdict: PushVerdict, connection: Int, now: Int64, messageID: String?, status: Int?,
        reason: String?
    ) {
        let isRefused = messageID == nil
        let cause = isRefused ? verdict.cause ?? "a script for answers requires it" : nil
        let message = ReceivedMessage(
            connection: connection, receivedAt: now, service: verdict.profile, token: verdict.token,
            messageID: messageID, headers: request.messageHeaders, claims: verdict.claims, body: request.body,
            status: status, reason: reason, cause: cause, deviations: verdict.deviations,
            delivery: isRefused ? nil : .waiting)
        history.record(message, authorization: request.authorization)
        if let cause { logger.notice("refused a message", metadata: message.metadata(cause: cause)) }
    }
}

/// Requests that send no message.
extension PushResponder {
    private func otherAnswer(_ request: PushRequest) -> PushAnswer? {
        if request.method == "DELETE", let id = MessagePath.messageID(request.path) {
            return PushAnswer(status: broker.cancel(id) ? 204 : 404, headers: [])
        }
        guard request.method == "GET", let path = EndpointPath(request.path), path.service == .standard else {
            return nil
        }
        // By this a client of UnifiedPush finds out that the server takes its messages.
        return PushAnswer(
            status: 200, headers: [("content-type", "application/json")],
            body: JSONValue.object(["unifiedpush": ["version": 1]]).serialized)
    }
}
