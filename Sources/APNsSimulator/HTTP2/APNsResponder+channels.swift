import JSON
import Logging
import SimulatorTools
import Texts

/// The answers to requests about channels.
extension APNsResponder {
    /// The names by which scripts have answers for requests about channels, in place of a device token.
    private static let scriptNames = (management: "channels", broadcasts: "broadcasts")

    /// Validates a request, answers it as its script says, or carries it out. Broadcasts are in the history, requests
    /// to the management are only counted.
    func respondAboutChannels(
        to request: APNsRequest, connection: Int, validator: inout RequestValidator,
        providerTokens: inout ProviderTokenWatch
    ) -> APNsResponse {
        let now = now()
        var (verdict, order) = validator.validateChannels(request, at: host, now: now / 1_000)
        if let objection = providerTokens.objection(
            to: request.authorization, isBelieved: verdict.providerToken != nil)
        {
            (verdict.rejection, verdict.cause, order) = (objection, "a script for connections requires it", nil)
        }
        var answer = ScriptedAnswer(status: 200)
        var channels = APNsResponse.ChannelAnswer(requestID: requestID(of: request))
        if let order {
            if let scripted = scripts.answers.takeAnswer(for: scriptName) { answer = scripted }
            if answer.status < 300 { perform(order, at: now / 1_000, &answer, &channels, &verdict) }
        }
        if let rejection = verdict.rejection {
            answer = .rejecting(rejection, delay: answer.delay)
            channels = APNsResponse.ChannelAnswer(requestID: channels.requestID)
        }
        providerTokens.noteAnswer(reason: answer.reason)
        let response = APNsResponse(
            status: answer.status, date: now / 1_000, apnsID: channels.requestID,
            uniqueID: givesUniqueIDs && host == .notifications && answer.status == 200 ? makeUUID() : nil,
            reason: answer.reason, timestamp: nil, retryAfter: answer.retryAfter,
            isAuthenticated: verdict.providerToken != nil, delay: latency + answer.delay, channels: channels)
        record(request, response, verdict, connection: connection, at: now)
        return response
    }

    private var scriptName: String {
        host == .channels ? Self.scriptNames.management : Self.scriptNames.broadcasts
    }

    private func requestID(of request: APNsRequest) -> String {
        let id = request.headers.first { $0.name == "apns-request-id" }?.value
        return id.flatMap { UUIDText.isCanonical($0) ? $0 : nil } ?? makeUUID()
    }

    private func perform(
        _ order: ChannelOrder, at now: Int64, _ answer: inout ScriptedAnswer,
        _ channels: inout APNsResponse.ChannelAnswer, _ verdict: inout Verdict
    ) {
        let table = self.channels
        do throws(Refusal) {
            switch order.action {
            case .create(let storesNewest):
                channels.channelID = try table.create(for: order.bundleID, storingNewest: storesNewest, at: now)
                answer.status = 201
                history.count { $0.channelsCreated += 1 }
            case .read(let id):
                let policy: Int64 = try table.channel(id, of: order.bundleID).storesNewest ? 1 : 0
                channels.content = ["message-storage-policy": .integer(policy), "push-type": "LiveActivity"]
            case .delete(let id):
                try table.delete(id, of: order.bundleID)
                answer.status = 204
                history.count { $0.channelsDeleted += 1 }
            case .list:
                let ids = table.channels(of: order.bundleID).map { JSONValue.string($0.id) }
                channels.content = ["channels": .array(ids)]
            case .publish(let broadcast): try table.publish(broadcast, of: order.bundleID, at: now)
            }
        } catch {
            (verdict.rejection, verdict.cause) = (error.rejection, error.cause)
        }
    }

    private func record(
        _ request: APNsRequest, _ response: APNsResponse, _ verdict: Verdict, connection: Int, at now: Int64
    ) {
        let cause = response.status < 300 ? nil : verdict.cause ?? "a script for answers requires it"
        var notification = ReceivedNotification(
            number: 0, connection: connection, receivedAt: now, token: nil, apnsID: response.apnsID,
            headers: request.notificationHeaders, providerToken: verdict.providerToken, body: request.body,
            status: response.status, reason: response.reason, cause: cause, deviations: verdict.deviations)
        notification.channel = verdict.channelID
        if host == .notifications {
            history.record(notification, authorization: request.authorization)
        } else {
            history.count { $0.channelRequests += 1 }
        }
        if let cause {
            logger.notice("refused a request about channels", metadata: notification.metadata(cause: cause))
        }
    }
}
