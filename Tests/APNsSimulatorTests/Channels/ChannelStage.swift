import Foundation
import JSON
import SimulatorTools
import TestDoubles

@testable import APNsSimulator

/// The simulator's answers to requests about channels, without a socket.
final class ChannelStage {
    let sample: SampleRequest
    let table: ChannelTable
    let history = NotificationHistory(limits: .init(notifications: 100, payloadBytes: 100_000))
    let scripts = ScriptTable()
    var rules: ValidationRules
    /// The time in seconds since 1970.
    var now = SampleRequest.now

    init(limit: Int = 10_000) throws {
        sample = try SampleRequest()
        rules = sample.rules
        table = ChannelTable(limit: limit)
    }

    func respond(to request: APNsRequest, at host: SimulatedHost) -> APNsResponse {
        var configuration = APNsSimulatorConfiguration()
        let time = now
        configuration.now = { Date(timeIntervalSince1970: Double(time)) }
        var responder = APNsResponder(
            configuration, history: history, scripts: scripts, channels: table, logger: .silent)
        responder.host = host
        var validator = RequestValidator(rules: rules)
        var providerTokens = ProviderTokenWatch()
        return responder.respond(
            to: request, connection: 1, validator: &validator, providerTokens: &providerTokens)
    }

    /// Sends a request to the management of channels.
    func manage(
        _ method: String, _ path: String = "/1/apps/com.example.app/channels", channel: String? = nil,
        body: JSONValue? = nil, with changes: [String: String] = [:]
    ) throws -> APNsResponse {
        var headers = ["authorization": try sample.signingKey.authorization(issuedAt: .integer(now - 60))]
        headers["apns-channel-id"] = channel
        headers.merge(changes) { $1 }
        let request = APNsRequest(
            method: method, path: path, headers: headers.map { ($0.key, $0.value) }, body: body?.serialized ?? [])
        return respond(to: request, at: .channels)
    }

    /// Creates a channel and returns its id.
    func create(storing policy: Int64 = 0, for app: String = "com.example.app") throws -> String {
        let body: JSONValue = ["message-storage-policy": .integer(policy), "push-type": "LiveActivity"]
        return try manage("POST", "/1/apps/\(app)/channels", body: body).channels?.channelID ?? ""
    }

    /// Publishes, with some header fields replaced, or removed (`nil`).
    func publish(
        _ aps: JSONValue = ["event": "update", "timestamp": 1, "content-state": [:]], to channel: String?,
        _ changes: [String: String?] = [:], path: String = "/4/broadcasts/apps/com.example.app", body: [UInt8]? = nil
    ) throws -> APNsResponse {
        var headers: [String: String?] = [
            "authorization": try sample.signingKey.authorization(issuedAt: .integer(now - 60)),
            "apns-channel-id": channel, "apns-push-type": "liveactivity", "apns-priority": "5",
            "apns-expiration": "0",
        ]
        headers.merge(changes) { $1 }
        let request = APNsRequest(
            method: "POST", path: path, headers: headers.compactMap { name, value in value.map { (name, $0) } },
            body: body ?? JSONValue.object(["aps": aps]).serialized)
        return respond(to: request, at: .notifications)
    }

    /// Starts a card by a notification to a phone. Without a channel it asks for an update token.
    func start(on phone: SimulatedPhone, channel: String?) throws {
        var aps: JSONObject = [
            "event": "start", "timestamp": 1, "content-state": ["step": 0], "attributes-type": "Run",
            "attributes": [:], "alert": ["title": "Run", "body": "Started"],
        ]
        aps["input-push-channel"] = channel.map(JSONValue.string)
        if channel == nil { aps["input-push-token"] = 1 }
        var request = try sample.request(
            ["apns-topic": "com.example.app.push-type.liveactivity", "apns-push-type": "liveactivity"],
            body: JSONValue.object(["aps": .object(aps)]).serialized)
        request.path = "/3/device/" + phone.pushToStartToken
        _ = respond(to: request, at: .notifications)
    }
}

extension ChannelStage {
    /// Sends content to an update token.
    func update(_ token: String, _ aps: JSONObject) throws -> APNsResponse {
        var request = try sample.request(
            ["apns-topic": "com.example.app.push-type.liveactivity", "apns-push-type": "liveactivity"],
            body: JSONValue.object(["aps": .object(aps)]).serialized)
        request.path = "/3/device/" + token
        return respond(to: request, at: .notifications)
    }
}

extension APNsResponse {
    /// The status, and the reason of a refusal.
    var summary: String { [String(status), reason].compactMap(\.self).joined(separator: " ") }
}
