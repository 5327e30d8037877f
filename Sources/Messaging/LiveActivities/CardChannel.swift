import DocumentStore

/// A channel that serves one card, or will.
///
/// `liveActivityChannels/{digest}`: `card`, `app`? (the bundle id, a slash and the environment; absent if there is no
/// channel and none is being created), `bundleId`?, `environment`?, `state`, `channel`? (Apple's id; absent while it is
/// created, and after its deletion), `createdAt`, `dueAt` (the time at which the sweep has something to do), and until
/// the end of the card is published `end`, `endPriority` and `endExpiration`.
struct CardChannel: Sendable {
    enum State: String, Sendable {
        /// Apple is asked for a channel, or was when the gateway crashed.
        case creating
        /// The card follows the channel.
        case open
        /// The card has ended. The channel is deleted when it is due. There is none if that has happened, or if the end
        /// came before the start.
        case ended
    }

    private enum Field {
        static let card = "card"
        static let bundleID = "bundleId"
        static let environment = "environment"
        static let state = "state"
        static let createdAt = "createdAt"
        static let end = "end"
        static let endPriority = "endPriority"
        static let endExpiration = "endExpiration"
    }

    static let collection = "liveActivityChannels"
    static let app = "app"
    static let channel = "channel"
    static let dueAt = "dueAt"

    let card: String
    let app: AppIdentity
    var state: State
    var channel: ChannelID?
    let createdAt: Timestamp
    var dueAt: Timestamp
    /// The end that is not published yet.
    var end: ChannelBroadcast?

    init(card: String, app: AppIdentity, state: State, channel: ChannelID? = nil, at time: Timestamp, dueAt: Timestamp)
    {
        self.card = card
        self.app = app
        self.state = state
        self.channel = channel
        createdAt = time
        self.dueAt = dueAt
    }

    /// Returns the path for a card. It is the same for each attempt to give the card a channel.
    static func path(of card: String, _ app: AppIdentity) throws(StoreError) -> DocumentPath {
        try CollectionPath(collection).document(HalfDigest(of: "\(app.channelKey) \(card)".utf8).description)
    }
}

/// The stored form.
extension CardChannel {
    var fields: Fields {
        var fields: Fields = [
            Field.card: .string(card), Field.state: .string(state.rawValue), Field.createdAt: .timestamp(createdAt),
            Self.dueAt: .timestamp(dueAt),
        ]
        if state != .ended || channel != nil { fields[Self.app] = .string(app.channelKey) }
        fields[Field.bundleID] = app.bundleID.map(Value.string)
        fields[Field.environment] = app.environment.map(Value.string)
        fields[Self.channel] = channel.map { .string($0.rawValue) }
        fields[Field.end] = end.map { .string(String(decoding: $0.payload, as: UTF8.self)) }
        fields[Field.endPriority] = end.map { .integer(Int64($0.priority)) }
        fields[Field.endExpiration] = end.map { .integer($0.expiration) }
        return fields
    }

    /// Reads a document; `nil` if it is not one of a channel.
    init?(_ document: Document) {
        guard let card = document[Field.card]?.string,
            let state = document[Field.state]?.string.flatMap(State.init(rawValue:)),
            let createdAt = document[Field.createdAt]?.timestamp, let dueAt = document[Self.dueAt]?.timestamp
        else { return nil }
        let app = AppIdentity(
            bundleID: document[Field.bundleID]?.string, environment: document[Field.environment]?.string)
        let channel = document[Self.channel]?.string.map(ChannelID.init(rawValue:))
        guard state != .open || channel != nil else { return nil }
        self.init(card: card, app: app, state: state, channel: channel, at: createdAt, dueAt: dueAt)
        if let text = document[Field.end]?.string {
            end = ChannelBroadcast(
                payload: Array(text.utf8), priority: Int(document[Field.endPriority]?.integer ?? 5),
                expiration: document[Field.endExpiration]?.integer ?? 0)
        }
    }
}

/// The channels of an app that others have created. They are never deleted here.
///
/// `liveActivityApps/{digest}`: `app`, `strangers` (an array of Apple's ids). It is written before the first channel of
/// the app is created.
enum StrangeChannels {
    static let collection = "liveActivityApps"
    private static let strangers = "strangers"

    static func path(of app: AppIdentity) throws(StoreError) -> DocumentPath {
        try CollectionPath(collection).document(HalfDigest(of: app.channelKey.utf8).description)
    }

    static func fields(_ strangers: Set<ChannelID>, of app: AppIdentity) -> Fields {
        [
            CardChannel.app: .string(app.channelKey),
            self.strangers: .array(strangers.map(\.rawValue).sorted().map(Value.string)),
        ]
    }

    /// Returns the app of a document; `nil` if it has none.
    static func app(of document: Document) -> AppIdentity? {
        document[CardChannel.app]?.string.flatMap { AppIdentity(channelKey: $0) }
    }

    static func channels(in document: Document) -> Set<ChannelID> {
        Set((document[strangers]?.array ?? []).compactMap(\.string).map(ChannelID.init(rawValue:)))
    }
}

extension AppIdentity {
    /// The text that stands for the app and its environment in documents.
    var channelKey: String { "\(bundleID ?? "")/\(environment ?? "")" }

    /// Reads such a text; `nil` if it is none.
    fileprivate init?(channelKey text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        self.init(bundleID: parts[0].isEmpty ? nil : parts[0], environment: parts[1])
    }
}
