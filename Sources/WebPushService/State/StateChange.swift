import Cryptography
import JSON

/// A change of the service's state, as the journal has it: a line of JSON.
enum StateChange: Hashable, Sendable {
    case browser(Browser)
    case subscription(SubscriptionRecord)
    case ended(token: String)
    case message(PushMessage)
    /// The message was acknowledged, has expired, or was left out.
    case settled(id: String)
}

extension StateChange {
    var json: JSONValue {
        switch self {
        case .browser(let browser): ["browser": browser.json]
        case .subscription(let record): ["subscription": record.json]
        case .ended(let token): ["ended": .string(token)]
        case .message(let message): ["message": message.json]
        case .settled(let id): ["settled": .string(id)]
        }
    }

    /// Reads a line; `nil` if it is no change, such as the last line before a power cut.
    init?(_ json: JSONValue) {
        guard let (name, value) = json.object?.members.first else { return nil }
        let change: StateChange? =
            switch name {
            case "browser": Browser(value).map(StateChange.browser)
            case "subscription": SubscriptionRecord(value).map(StateChange.subscription)
            case "ended": value.string.map(StateChange.ended)
            case "message": PushMessage(value).map(StateChange.message)
            case "settled": value.string.map(StateChange.settled)
            default: nil
            }
        guard let change else { return nil }
        self = change
    }
}

extension Browser {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .string(id), "minimum_urgency": .string(minimumUrgency.rawValue)]
        if case .chromium(let androidID, let securityToken) = kind {
            // Numbers of JSON have fewer bits.
            object["android_id"] = .string(String(androidID))
            object["security_token"] = .string(String(securityToken))
        }
        return .object(object)
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.string,
            let urgency = json["minimum_urgency"]?.string.flatMap({ Urgency(rawValue: $0) })
        else {
            return nil
        }
        let androidID = json["android_id"]?.string.flatMap { UInt64($0) }
        let securityToken = json["security_token"]?.string.flatMap { UInt64($0) }
        if let androidID, let securityToken {
            self.init(id: id, kind: .chromium(androidID: androidID, securityToken: securityToken))
        } else {
            self.init(id: id, kind: .firefox)
        }
        minimumUrgency = urgency
    }
}

extension SubscriptionRecord {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "token": .string(token), "service": .string(service.rawValue), "maximum_body": .integer(Int64(maximumBody)),
        ]
        object["browser"] = browserID.map(JSONValue.string)
        object["channel"] = channel?.id.map(JSONValue.string)
        object["app"] = channel?.app.map(JSONValue.string)
        object["sender"] = channel?.sender.map(JSONValue.string)
        object["key"] = applicationServerKey.map(JSONValue.string)
        if isEnded { object["ended"] = true }
        return .object(object)
    }

    fileprivate init?(_ json: JSONValue) {
        guard let token = json["token"]?.string,
            let service = json["service"]?.string.flatMap({ PushServiceProfile(rawValue: $0) }),
            let maximumBody = json["maximum_body"]?.integer
        else { return nil }
        let browserID = json["browser"]?.string
        let channel = PageChannel(
            id: json["channel"]?.string, app: json["app"]?.string, sender: json["sender"]?.string)
        self.init(
            token: token, service: service, browserID: browserID,
            channel: browserID == nil ? nil : channel,
            applicationServerKey: json["key"]?.string, maximumBody: Int(maximumBody),
            isEnded: json["ended"]?.bool ?? false)
    }
}

extension PushMessage {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "token": .string(token), "urgency": .string(urgency.rawValue),
            "ttl": .integer(timeToLive), "accepted_at": .integer(acceptedAt),
            "body": .string(Base64URL.encode(body)),
        ]
        object["topic"] = topic.map(JSONValue.string)
        object["encoding"] = encoding.map(JSONValue.string)
        return .object(object)
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let token = json["token"]?.string,
            let urgency = json["urgency"]?.string.flatMap({ Urgency(rawValue: $0) }),
            let timeToLive = json["ttl"]?.integer, let acceptedAt = json["accepted_at"]?.integer,
            let body = json["body"]?.string.flatMap({ Base64URL.decode($0) })
        else { return nil }
        self.init(
            id: id, token: token, topic: json["topic"]?.string, urgency: urgency, encoding: json["encoding"]?.string,
            body: body, timeToLive: timeToLive, acceptedAt: acceptedAt)
    }
}
