import Foundation
import Logging
import SimulatorTools

/// A responder that validates each request, answers it as its script says, and stores it in the history.
///
/// All connections share one responder. The state of a connection (its validator, its number) is passed in.
struct APNsResponder: Sendable {
    let history: NotificationHistory
    let scripts: ScriptTable
    let channels: ChannelTable
    /// The interface that requests use.
    var host = SimulatedHost.notifications
    /// `true` if accepted notifications get an `apns-unique-id`.
    let givesUniqueIDs: Bool
    /// The delay of every answer. A script may add to it.
    let latency: Duration
    /// Returns the current time in milliseconds since 1970.
    let now: @Sendable () -> Int64
    let makeUUID: @Sendable () -> String
    let logger: Logger

    init(
        _ configuration: APNsSimulatorConfiguration, history: NotificationHistory, scripts: ScriptTable,
        channels: ChannelTable = ChannelTable(), logger: Logger
    ) {
        self.history = history
        self.scripts = scripts
        self.channels = channels
        self.givesUniqueIDs = configuration.environment == .sandbox
        self.latency = configuration.latency
        let now = configuration.now
        self.now = { Int64((now().timeIntervalSince1970 * 1000).rounded()) }
        self.makeUUID = configuration.makeUUID
        self.logger = logger
    }

    func respond(
        to request: APNsRequest, connection: Int, validator: inout RequestValidator,
        providerTokens: inout ProviderTokenWatch
    ) -> APNsResponse {
        guard !RequestValidator.isAboutChannels(request, at: host) else {
            return respondAboutChannels(
                to: request, connection: connection, validator: &validator, providerTokens: &providerTokens)
        }
        let now = now()
        let authorization = request.authorization
        var verdict = validator.validate(request, now: now / 1000)
        if let objection = providerTokens.objection(to: authorization, isBelieved: verdict.providerToken != nil) {
            verdict.rejection = objection
            verdict.cause = "a script for connections requires it"
        }
        let answer = answer(to: verdict)
        providerTokens.noteAnswer(reason: answer.reason)
        let response = APNsResponse(
            status: answer.status, date: now / 1000, apnsID: verdict.apnsID ?? makeUUID(),
            uniqueID: givesUniqueIDs && answer.status == 200 ? makeUUID() : nil, reason: answer.reason,
            timestamp: answer.status == 410 ? answer.timestamp ?? now : nil, retryAfter: answer.retryAfter,
            isAuthenticated: verdict.providerToken != nil, delay: latency + answer.delay)
        let cause = response.status == 200 ? nil : verdict.cause ?? "a script for answers requires it"
        let notification = ReceivedNotification(
            number: 0, connection: connection, receivedAt: now, token: verdict.deviceToken,
            apnsID: response.apnsID, headers: request.notificationHeaders, providerToken: verdict.providerToken,
            body: request.body, status: response.status, reason: response.reason, cause: cause,
            deviations: verdict.deviations)
        history.record(notification, authorization: authorization)
        if let cause { logger.notice("refused a notification", metadata: notification.metadata(cause: cause)) }
        if response.status == 200, let token = verdict.deviceToken {
            channels.deliver(request.body, to: token, at: now / 1_000)
        }
        return response
    }

    private func answer(to verdict: Verdict) -> ScriptedAnswer {
        if let rejection = verdict.rejection { return .rejecting(rejection) }
        return verdict.deviceToken.flatMap(scripts.answers.takeAnswer) ?? ScriptedAnswer(status: 200)
    }
}
