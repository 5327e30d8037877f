import HTTP2Client
import JSON
package import Messaging

/// Apple's broadcast channels
/// ([Setting up broadcast push notifications](https://developer.apple.com/documentation/usernotifications/setting-up-broadcast-push-notifications)).
///
/// Channels are managed at hosts of their own, and broadcasts are published at those for notifications. Both take the
/// provider tokens of notifications.
package struct APNsChannels: ChannelService {
    private let transport: APNsTransport

    init(transport: APNsTransport) { self.transport = transport }

    package func resolved(_ app: AppIdentity) -> AppIdentity? {
        guard let route = transport.channelRoute(of: app), route.channelOrigin != nil else { return nil }
        return AppIdentity(bundleID: route.bundleID, environment: route.environment)
    }

    package func create(for app: AppIdentity, storing storage: ChannelStorage) async throws(ChannelError) -> ChannelID {
        let body: JSONValue = [
            "message-storage-policy": .integer(Int64(storage.rawValue)), "push-type": .string(Self.managedPushType),
        ]
        let request = APNsChannelRequest(.create, method: "POST", body: body.serialized, success: 201)
        let response = try await perform(request, for: app)
        guard let id = response.value(of: APNsChannelRequest.idName).map(ChannelID.init(rawValue:)), id.isPlausible
        else {
            throw Self.unreadable(mayHaveHappened: true)
        }
        return id
    }

    package func channels(of app: AppIdentity) async throws(ChannelError) -> Set<ChannelID> {
        let response = try await perform(APNsChannelRequest(.list, method: "GET", success: 200), for: app)
        let json = try? JSONValue(parsing: response.body)
        guard let texts = json?["channels"]?.array?.map(\.string), !texts.contains(nil) else { throw Self.unreadable() }
        return Set(texts.compactMap(\.self).map(ChannelID.init(rawValue:)))
    }

    package func delete(_ channel: ChannelID, of app: AppIdentity) async throws(ChannelError) {
        _ = try await perform(APNsChannelRequest(.delete, method: "DELETE", success: 204), to: channel, of: app)
    }

    package func publish(
        _ broadcast: ChannelBroadcast, to channel: ChannelID, of app: AppIdentity
    ) async throws(ChannelError) {
        guard broadcast.payload.count <= LiveActivity.maximumBroadcast else {
            throw ChannelError(.invalidRequest, reason: Rejection.payloadTooLarge.reason)
        }
        var request = APNsChannelRequest(.publish, method: "POST", body: broadcast.payload, success: 200)
        request.fields = [
            HTTP2Request.Field("apns-push-type", APNsPushType.liveactivity.rawValue, isRepeated: true),
            HTTP2Request.Field("apns-priority", String(broadcast.priority), isRepeated: true),
            HTTP2Request.Field("apns-expiration", String(broadcast.expiration)),
        ]
        _ = try await perform(request, to: channel, of: app)
    }

    /// The push type in the form that the management of channels requires.
    private static let managedPushType = "LiveActivity"

    private static func unreadable(mayHaveHappened: Bool = false) -> ChannelError {
        ChannelError(.unavailable, reason: "UnreadableAnswer", mayHaveHappened: mayHaveHappened)
    }

    // MARK: Requests

    private func perform(
        _ request: APNsChannelRequest, to channel: ChannelID, of app: AppIdentity
    ) async throws(ChannelError) -> HTTP2Response {
        guard channel.isPlausible else { throw ChannelError(.unknownChannel, reason: "BadChannelId") }
        var request = request
        request.fields.append(HTTP2Request.Field(APNsChannelRequest.idName, channel.rawValue))
        return try await perform(request, for: app)
    }

    private func perform(
        _ request: APNsChannelRequest, for app: AppIdentity
    ) async throws(ChannelError) -> HTTP2Response {
        guard let route = transport.channelRoute(of: app), let origin = request.origin(by: route) else {
            throw ChannelError(.wrongApp, reason: Rejection.appNotConfigured.reason)
        }
        var result = await transport.send(request, to: origin, by: route)
        if case .success(let response) = result, response.statusCode == 403, APNsAnswer(response).wantsNewProviderToken
        {
            transport.reportExpiredToken()
            result = await transport.send(request, to: origin, by: route, isOnNewConnection: true)
        } else if case .failure(.client(let error)) = result, error.isOfConnection,
            error.isUnprocessed || request.isRepeatable
        {
            result = await transport.send(request, to: origin, by: route)
        }
        switch result {
        case .success(let response):
            guard response.statusCode == request.success else { throw ChannelError(APNsAnswer(response)) }
            return response
        case .failure(.client(let error)):
            throw ChannelError(.unavailable, reason: error.reason, mayHaveHappened: !error.isUnprocessed)
        case .failure(.signature): throw ChannelError(.refused, reason: "CannotSignProviderToken")
        }
    }
}

/// A request about channels, without its app.
struct APNsChannelRequest: Sendable {
    enum Call: Sendable {
        case create, list, delete, publish
    }

    static let idName = "apns-channel-id"

    let call: Call
    let method: String
    let body: [UInt8]
    /// The status of the answer if the service has done what was asked.
    let success: Int
    /// The fields beside those of every request.
    var fields: [HTTP2Request.Field] = []

    init(_ call: Call, method: String, body: [UInt8] = [], success: Int) {
        self.call = call
        self.method = method
        self.body = body
        self.success = success
    }

    /// `true` if the request has the same effect when it is sent twice. Two creations make two channels.
    var isRepeatable: Bool { call != .create }

    func path(for bundleID: String) -> String {
        switch call {
        case .create, .delete: "/1/apps/\(bundleID)/channels"
        case .list: "/1/apps/\(bundleID)/all-channels"
        case .publish: "/4/broadcasts/apps/\(bundleID)"
        }
    }

    /// Returns the server for the request; `nil` if the app has none.
    func origin(by route: APNsRoute) -> HTTP2Origin? {
        call == .publish ? route.broadcastOrigin : route.channelOrigin
    }
}

extension APNsAnswer {
    init(_ response: HTTP2Response) {
        self.init(
            status: response.statusCode, retryAfter: response.value(of: "retry-after"), body: response.body)
    }
}

extension ChannelError {
    /// Reads an answer that is not a success. The reason decides, and the status about an unknown reason: Apple
    /// documents the reasons of broadcasts, and adds to them.
    init(_ answer: APNsAnswer) {
        self.init(
            Self.kind(of: answer), reason: answer.reason, retryAfter: answer.retryAfter,
            mayHaveHappened: answer.status >= 500)
    }

    private static func kind(of answer: APNsAnswer) -> Kind {
        switch answer.reason {
        case "BadChannelId", "ChannelNotRegistered": .unknownChannel
        case "CannotCreateChannelConfig": .limitReached
        case "FeatureNotEnabled", "BroadcastFeatureNotEnabled": .featureOff
        case "TopicMismatch", "BadTopic", "TopicDisallowed": .wrongApp
        case "TooManyProviderTokenUpdates": .refused
        case "IdleTimeout": .unavailable
        default: kind(ofStatus: answer.status)
        }
    }

    private static func kind(ofStatus status: Int) -> Kind {
        switch status {
        case 403: .refused
        case 410: .unknownChannel
        case 400..<500 where status != 429: .invalidRequest
        default: .unavailable
        }
    }
}
