package import JSON

/// The content of a push to a Live Activity: a card on the lock screen that starts, changes and ends
/// ([Starting and updating Live Activities](https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications)).
///
/// It goes to one token as a ``Message``, or to all followers of a channel as a ``ChannelBroadcast``. Apple answers 200
/// to content that no card can use, so it is checked before it is sent.
package struct LiveActivity: Hashable, Sendable {
    /// The change that a push makes.
    package enum Event: Hashable, Sendable {
        /// The card appears. The token is the app's push-to-start token.
        case start(Start)
        /// The card changes.
        case update
        /// The card ends, and is removed at a time, in seconds since 1970: at most four hours ahead, at once for a time
        /// that has passed. `nil` for the system's choice, which is up to four hours.
        case end(dismissal: Int64?)
    }

    /// The parts that only the start of a card has.
    package struct Start: Hashable, Sendable {
        /// The name of the app's type of attributes.
        package var attributesType: String
        /// The attributes, which stay the same for the life of the card.
        package var attributes: JSONObject
        /// The way in which the card gets its updates.
        package var input: Input

        package init(attributesType: String, attributes: JSONObject, input: Input) {
            self.attributesType = attributesType
            self.attributes = attributes
            self.input = input
        }
    }

    /// The way in which a card that is started by push gets its updates.
    package enum Input: Hashable, Sendable {
        /// The system gives the app an update token as it sees fit, as before iOS 18.
        case standard
        /// The app gets an update token, which it may never send here.
        case token
        /// The card follows a channel from its first moment.
        case channel(ChannelID)
    }

    /// A text that lights up the screen.
    package struct Alert: Hashable, Sendable {
        package var title: String
        package var body: String
        /// The name of a sound, such as `default`; `nil` for none.
        package var sound: String?

        package init(title: String, body: String, sound: String? = nil) {
            self.title = title
            self.body = body
            self.sound = sound
        }
    }

    /// The change.
    package var event: Event
    /// The time of the content, in seconds since 1970. A card ignores content that is older than its own.
    package var timestamp: Int64
    /// The dynamic content, as the app's type decodes it with a `JSONDecoder` without strategies; `nil` only for an
    /// end that leaves the last content as it is.
    package var contentState: JSONObject?
    /// The time at which the content is out of date, in seconds since 1970.
    package var staleDate: Int64?
    /// The order of several cards of one app: the highest is in the Dynamic Island.
    package var relevanceScore: Double?
    /// The text that lights up the screen; required at the start.
    package var alert: Alert?
    /// `true` if somebody is needed now. Such a push counts against the system's budget for the app; others do not, and
    /// may be delayed.
    package var isUrgent: Bool

    package init(
        _ event: Event, timestamp: Int64, contentState: JSONObject?, staleDate: Int64? = nil,
        relevanceScore: Double? = nil, alert: Alert? = nil, isUrgent: Bool = false
    ) {
        self.event = event
        self.timestamp = timestamp
        self.contentState = contentState
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.alert = alert
        self.isUrgent = isUrgent
    }
}

/// The requests.
extension LiveActivity {
    /// The value of `apns-priority`.
    package var priority: Int { isUrgent ? 10 : 5 }

    /// The attribute with the id of a card that this gateway starts.
    package static let cardAttribute = "card"

    /// The time after which the system ends a card, in seconds.
    package static let longestLife: Int64 = 8 * 3_600
    /// The longest time for which the system leaves a card that has ended, in seconds.
    package static let longestDismissal: Int64 = 4 * 3_600
    /// The largest payload to a token, in bytes.
    package static let maximumPayload = 4_096
    /// The room in the payload of a start for the channel that ``CardTransport`` adds to it, in bytes.
    private static let roomForChannel = 64
    /// The largest payload to a channel, in bytes.
    package static let maximumBroadcast = 5_120

    /// Returns the message to one card, or to an app that is to start one.
    ///
    /// - Parameters:
    ///   - token: the card's update token, or the app's push-to-start token for a start.
    ///   - now: the present time in seconds since 1970.
    ///   - collapseID: the id by which newer content replaces older content that has not been sent. A start has none:
    ///     two starts with one id would become one card.
    /// - Throws: all errors in the content.
    package func message(
        to token: RegistrationToken, at now: Int64, collapseID: String? = nil
    ) throws(InvalidLiveActivity) -> Message {
        var message = try message(at: now, collapseID: collapseID)
        message.apns?.liveActivityToken = token
        return message
    }

    /// Returns the message to addresses of ``CardTransport``.
    ///
    /// - Parameters:
    ///   - now: the present time in seconds since 1970.
    ///   - collapseID: the id, as in ``message(to:at:collapseID:)``.
    /// - Throws: all errors in the content.
    package func message(at now: Int64, collapseID: String? = nil) throws(InvalidLiveActivity) -> Message {
        let room = hasInput ? 0 : Self.roomForChannel
        let payload = try payload(at: now, limit: Self.maximumPayload - room)
        var headers = ["apns-push-type": "liveactivity", "apns-priority": String(priority)]
        if !isStart { headers["apns-collapse-id"] = collapseID }
        return Message(apns: Message.APNsConfiguration(headers: headers, payload: payload))
    }

    /// Returns the broadcast to all cards that follow a channel.
    ///
    /// - Parameters:
    ///   - now: the present time in seconds since 1970.
    ///   - expiration: the time until which Apple keeps it for devices that are off, in seconds since 1970; 0 not to
    ///     keep it, as a channel without storage requires.
    /// - Throws: all errors in the content, among them that a channel starts no card.
    package func broadcast(at now: Int64, expiration: Int64) throws(InvalidLiveActivity) -> ChannelBroadcast {
        guard !isStart else {
            throw InvalidLiveActivity([.init(member: Member.event, "a channel takes update and end, not start")])
        }
        let payload = try payload(at: now, limit: Self.maximumBroadcast)
        return ChannelBroadcast(
            payload: JSONValue.object(payload).serialized, priority: priority, expiration: expiration)
    }

    private var isStart: Bool {
        if case .start = event { true } else { false }
    }

    /// `false` for a start that says nothing about the way of its updates, which ``CardTransport`` adds.
    private var hasInput: Bool {
        if case .start(let start) = event { start.input != .standard } else { true }
    }

    private func payload(at now: Int64, limit: Int) throws(InvalidLiveActivity) -> JSONObject {
        var rules = LiveActivityRules(now: now)
        rules.check(self)
        let payload: JSONObject = ["aps": .object(aps)]
        rules.check(size: JSONValue.object(payload).serialized.count, limit: limit)
        guard rules.violations.isEmpty else { throw InvalidLiveActivity(rules.violations) }
        return payload
    }
}

/// The wire form.
extension LiveActivity {
    /// The names of the members of `aps`.
    package enum Member {
        package static let event = "event"
        package static let timestamp = "timestamp"
        package static let contentState = "content-state"
        package static let staleDate = "stale-date"
        package static let dismissalDate = "dismissal-date"
        package static let relevanceScore = "relevance-score"
        package static let alert = "alert"
        package static let attributesType = "attributes-type"
        package static let attributes = "attributes"
        package static let inputToken = "input-push-token"
        package static let inputChannel = "input-push-channel"
    }

    /// The members of `aps`.
    var aps: JSONObject {
        var aps: JSONObject = [Member.timestamp: .integer(timestamp), Member.event: .string(event.name)]
        aps[Member.contentState] = contentState.map(JSONValue.object)
        aps[Member.staleDate] = staleDate.map(JSONValue.integer)
        aps[Member.relevanceScore] = relevanceScore.map(JSONValue.double)
        aps[Member.alert] = alert.map { .object($0.json) }
        switch event {
        case .start(let start):
            aps[Member.attributesType] = .string(start.attributesType)
            aps[Member.attributes] = .object(start.attributes)
            switch start.input {
            case .standard: break
            case .token: aps[Member.inputToken] = 1
            case .channel(let channel): aps[Member.inputChannel] = .string(channel.rawValue)
            }
        case .update: break
        case .end(let dismissal): aps[Member.dismissalDate] = dismissal.map(JSONValue.integer)
        }
        return aps
    }
}

extension LiveActivity.Event {
    /// Apple's name of the event.
    package var name: String {
        switch self {
        case .start: "start"
        case .update: "update"
        case .end: "end"
        }
    }
}

extension LiveActivity.Alert {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["title": .string(title), "body": .string(body)]
        json["sound"] = sound.map(JSONValue.string)
        return json
    }
}
