import JSON
import Texts

/// A valid request about channels: the action, and the app.
struct ChannelOrder: Sendable {
    enum Action: Sendable {
        case create(storesNewest: Bool)
        case read(String)
        case delete(String)
        case list
        case publish(Broadcast)
    }

    struct Broadcast: Sendable {
        let channel: String
        /// Seconds since 1970; 0 for a broadcast that is not kept.
        let expiration: Int64
        let payload: [UInt8]
    }

    let bundleID: String
    let action: Action
}

/// The interfaces of Apple's hosts.
enum SimulatedHost: Sendable {
    /// Notifications to devices, and broadcasts.
    case notifications
    /// The management of channels.
    case channels
}

/// The path of a request about channels.
struct ChannelPath: Hashable, Sendable {
    enum Resource: Sendable {
        case channels, allChannels, broadcasts
    }

    static let broadcastPrefix = "/4/broadcasts/apps/"
    private static let managementPrefix = "/1/apps/"

    let bundleID: String
    let resource: Resource

    init(_ path: String, at host: SimulatedHost) throws(Refusal) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch host {
        case .notifications where path.hasPrefix(Self.broadcastPrefix) && parts.count == 5:
            (bundleID, resource) = (parts[4], .broadcasts)
        case .channels where path.hasPrefix(Self.managementPrefix) && parts.count == 5 && parts[4] == "channels":
            (bundleID, resource) = (parts[3], .channels)
        case .channels where path.hasPrefix(Self.managementPrefix) && parts.count == 5 && parts[4] == "all-channels":
            (bundleID, resource) = (parts[3], .allChannels)
        case .notifications:
            throw Refusal(.badPath, "the path is \(path.excerpt); it takes \(Self.broadcastPrefix) and a bundle id")
        case .channels:
            throw Refusal(
                .badPath,
                "the path is \(path.excerpt); this host takes \(Self.managementPrefix), a bundle id, and /channels or "
                    + "/all-channels")
        }
    }

    fileprivate var methods: [String] {
        switch resource {
        case .channels: ["POST", "GET", "DELETE"]
        case .allChannels: ["GET"]
        case .broadcasts: ["POST"]
        }
    }
}

/// The rules for requests about channels.
///
/// Apple, "Sending channel management requests to APNs" and "Sending broadcast push notification requests to APNs".
/// Apple publishes the reasons; the order of the checks is that for notifications.
extension RequestValidator {
    /// The largest payload of a broadcast, in bytes.
    static let largestBroadcast = 5_120

    /// Returns `true` if a request is about channels, and not a notification to a device.
    static func isAboutChannels(_ request: APNsRequest, at host: SimulatedHost) -> Bool {
        host == .channels || request.path.hasPrefix(ChannelPath.broadcastPrefix)
    }

    /// Validates one complete request about channels, without the state of channels.
    ///
    /// - Returns: The verdict, and the order in an accepted request.
    mutating func validateChannels(
        _ request: APNsRequest, at host: SimulatedHost, now: Int64
    ) -> (verdict: Verdict, order: ChannelOrder?) {
        var verdict = Verdict()
        do throws(Refusal) {
            let order = try order(in: request, at: host, now: now, verdict: &verdict)
            return (verdict, order)
        } catch {
            verdict.rejection = error.rejection
            verdict.cause = error.cause
            return (verdict, nil)
        }
    }

    private mutating func order(
        in request: APNsRequest, at host: SimulatedHost, now: Int64, verdict: inout Verdict
    ) throws(Refusal) -> ChannelOrder {
        let headers = RequestHeaders(request.headers)
        verdict.channelID = headers.channelID
        let path = try ChannelPath(request.path, at: host)
        guard path.methods.contains(request.method) else {
            throw Refusal(
                .methodNotAllowed,
                "the method is \(request.method.excerpt); it takes \(path.methods.joined(separator: ", "))")
        }
        let token = try providerToken(headers.authorization, now: now)
        verdict.providerToken = token
        if let deviation = token.deviation { verdict.deviations.append(deviation) }
        if let name = headers.duplicate { throw Refusal(.duplicateHeaders, "\(name) is present twice") }
        if let id = headers.requestID, !UUIDText.isCanonical(id) {
            throw Refusal(.badMessageID, "apns-request-id is \(id.excerpt); it takes a UUID in lower case")
        }
        try checkApp(path.bundleID)
        return ChannelOrder(bundleID: path.bundleID, action: try Self.action(path, request, headers))
    }

    private func checkApp(_ bundleID: String) throws(Refusal) {
        guard !bundleID.isEmpty, bundleID.utf8.allSatisfy(Self.isBundleIDCharacter) else {
            throw Refusal(.badTopic, "the path's bundle id is \(bundleID.excerpt)")
        }
        if let topics = rules.topics, !topics.contains(bundleID) {
            throw Refusal(.topicDisallowed, "the path names \(bundleID.excerpt), which is not a known app")
        }
        if rules.appsWithoutBroadcasts.contains(bundleID) {
            throw Refusal(.featureNotEnabled, "the app \(bundleID.excerpt) does not have the capability for broadcasts")
        }
    }

    private static func action(
        _ path: ChannelPath, _ request: APNsRequest, _ headers: RequestHeaders
    ) throws(Refusal) -> ChannelOrder.Action {
        switch (path.resource, request.method) {
        case (.allChannels, _): return .list
        case (.broadcasts, _): return .publish(try broadcast(request, headers))
        case (.channels, "GET"): return .read(try channelID(headers))
        case (.channels, "DELETE"): return .delete(try channelID(headers))
        case (.channels, _): return .create(storesNewest: try storesNewest(request.body))
        }
    }

    private static func channelID(_ headers: RequestHeaders) throws(Refusal) -> String {
        guard let id = headers.channelID, !id.isEmpty else {
            throw Refusal(.missingChannelID, "apns-channel-id is missing")
        }
        return id
    }

    /// Returns the storage in the body of a creation. Apple documents no reason for a body that is not JSON, or has
    /// another policy; the simulator uses `PayloadEmpty`.
    private static func storesNewest(_ body: [UInt8]) throws(Refusal) -> Bool {
        guard case .object(let object)? = try? JSONValue(parsing: body) else {
            throw Refusal(.payloadEmpty, "the body of \(body.count) bytes is not a JSON object")
        }
        guard let type = object["push-type"]?.string else {
            throw Refusal(.missingPushType, "the body has no push-type; it takes LiveActivity")
        }
        guard type == "LiveActivity" else {
            throw Refusal(.invalidPushType, "push-type is \(type.excerpt); it takes LiveActivity")
        }
        guard let policy = object["message-storage-policy"]?.integer, policy == 0 || policy == 1 else {
            let value = object["message-storage-policy"].map { "is \($0.text.excerpt)" } ?? "is missing"
            throw Refusal(.payloadEmpty, "message-storage-policy \(value); it takes 0 or 1")
        }
        return policy == 1
    }

    private static func broadcast(
        _ request: APNsRequest, _ headers: RequestHeaders
    ) throws(Refusal) -> ChannelOrder.Broadcast {
        let channel = try channelID(headers)
        if let topic = headers.topic {
            throw Refusal(.badTopic, "apns-topic is \(topic.excerpt); a broadcast names its app in the path alone")
        }
        guard let type = headers.pushType else {
            throw Refusal(.missingPushType, "apns-push-type is missing; it takes liveactivity")
        }
        guard type == PushType.liveactivity.rawValue else {
            throw Refusal(.invalidPushType, "apns-push-type is \(type.excerpt); it takes liveactivity")
        }
        guard let text = headers.expiration else {
            throw Refusal(.badExpirationDate, "apns-expiration is missing; a broadcast requires it")
        }
        try checkExpiration(text)
        guard let priority = headers.priority, priority == "10" || priority == "5" else {
            throw Refusal(
                .badPriority, "apns-priority is \(headers.priority?.excerpt ?? "missing"); a broadcast takes 10 or 5")
        }
        try checkContent(request.body)
        return ChannelOrder.Broadcast(channel: channel, expiration: Int64(text) ?? 0, payload: request.body)
    }

    /// Checks the payload: an update or an end, since a channel starts nothing. Apple documents no reason for another
    /// event; the simulator uses `PayloadEmpty`.
    private static func checkContent(_ body: [UInt8]) throws(Refusal) {
        if body.isEmpty { throw Refusal(.payloadEmpty, "the body is empty; it takes a JSON object") }
        guard body.count <= largestBroadcast else {
            throw Refusal(
                .payloadTooLarge, "the payload has more than \(largestBroadcast) bytes, the limit of broadcasts")
        }
        guard let json = try? JSONValue(parsing: body), json.object != nil else {
            throw Refusal(.payloadEmpty, "the payload of \(body.count) bytes is not a JSON object")
        }
        let event = json["aps"]?["event"]?.string
        guard event == "update" || event == "end" else {
            throw Refusal(
                .payloadEmpty, "aps.event is \(event?.excerpt ?? "missing"); a broadcast takes update or end")
        }
    }
}
