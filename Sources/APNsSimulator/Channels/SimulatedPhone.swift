public import JSON
import Synchronization

/// A phone with one app, which shows Live Activities as iOS 18 does: it starts cards by push, follows their channels,
/// and gives those that ask for one an update token.
///
/// ``APNsSimulator/APNsSimulator/connect(_:)`` gives it what the simulator accepts for it. Content that no card can use
/// has no effect, as on a real phone.
public final class SimulatedPhone: Sendable {
    /// The cards of this phone's app, and the content that waits.
    private struct State {
        var cards: [Card] = []
        var isOnline = true
        /// The newest start that came while the phone was off. Apple keeps one for each app.
        var waitingStart: [UInt8]?
        /// The newest push to each update token that came while the phone was off.
        var waitingUpdates: [String: [UInt8]] = [:]
    }

    /// A Live Activity.
    public struct Card: Hashable, Sendable {
        /// The channel that the card follows; `nil` for none.
        public let channel: String?
        /// The token by which the card is updated, if its start asked for one: what the app would send to its server.
        public let updateToken: String?
        /// The name of the app's type of attributes.
        public let attributesType: String
        /// The attributes of the start.
        public let attributes: JSONObject
        /// The last content.
        public internal(set) var contentState: JSONObject
        /// The time of the last content, in seconds since 1970. Older content is ignored.
        public internal(set) var timestamp: Int64
        /// The time at which the content is out of date; `nil` if it has none.
        public internal(set) var staleDate: Int64?
        /// The number of updates and ends that the card has shown.
        public internal(set) var updates = 0
        /// The number of times that the card has lit up the screen, the start included.
        public internal(set) var alerts = 1
        /// `true` after the event `end`.
        public internal(set) var isEnded = false
        /// The time at which the ended card is removed; `nil` for a card that has not ended.
        public internal(set) var dismissal: Int64?

        /// Returns `true` if the card is on the lock screen. The system removes an ended card after four hours at the
        /// latest.
        ///
        /// - Parameter time: The time in seconds since 1970.
        public func isVisible(at time: Int64) -> Bool { dismissal.map { time < $0 } ?? true }
    }

    /// The app.
    public let bundleID: String
    /// The token that starts cards, in lower case.
    public let pushToStartToken: String
    private let state = Mutex(State())

    /// Creates a phone that is on, without cards.
    public init(bundleID: String, pushToStartToken: String) {
        self.bundleID = bundleID
        self.pushToStartToken = pushToStartToken.lowercased()
    }

    /// The cards, in the order in which they started. Those that are no longer on the lock screen are among them.
    public var cards: [Card] { state.withLock(\.cards) }

    /// `true` if the phone receives pushes at once.
    public var isOnline: Bool { state.withLock(\.isOnline) }

    /// Takes the phone off the network.
    public func goOffline() { state.withLock { $0.isOnline = false } }

    // MARK: Pushes

    /// Receives a notification to the push-to-start token.
    ///
    /// - Returns: The channel that a new card follows; `nil` if there is no new card, or it follows none.
    func receive(_ payload: [UInt8]) -> String? {
        state.withLock { state in
            guard state.isOnline else {
                state.waitingStart = payload
                return nil
            }
            return start(payload, &state)
        }
    }

    /// Receives a notification to an update token. One that is of none of the cards changes nothing: Apple answers 200
    /// for it all the same.
    func receive(_ payload: [UInt8], toCardWith token: String) {
        state.withLock { state in
            guard state.cards.contains(where: { $0.updateToken == token }) else { return }
            if state.isOnline {
                Self.apply(payload, to: &state) { $0.updateToken == token }
            } else {
                state.waitingUpdates[token] = payload
            }
        }
    }

    /// Receives a broadcast of a channel.
    func receive(_ payload: [UInt8], from channel: String) {
        state.withLock { state in
            if state.isOnline { Self.apply(payload, to: &state) { $0.channel == channel } }
        }
    }

    /// Puts the phone back on the network, where it gets what was kept for it.
    ///
    /// - Parameter stored: Returns the payload that is kept in a channel; `nil` if there is none.
    func goOnline(_ stored: (String) -> [UInt8]?) {
        state.withLock { state in
            state.isOnline = true
            if let payload = state.waitingStart { _ = start(payload, &state) }
            state.waitingStart = nil
            for (token, payload) in state.waitingUpdates { Self.apply(payload, to: &state) { $0.updateToken == token } }
            state.waitingUpdates = [:]
            for channel in Set(state.cards.compactMap(\.channel)) {
                if let payload = stored(channel) { Self.apply(payload, to: &state) { $0.channel == channel } }
            }
        }
    }

    private func start(_ payload: [UInt8], _ state: inout State) -> String? {
        // No other card of any phone has the number behind the phone's own token.
        let number = String(state.cards.count, radix: 16)
        let token = pushToStartToken + String(repeating: "0", count: max(0, 8 - number.count)) + number
        guard let card = Card(startedBy: payload, updateToken: token) else { return nil }
        state.cards.append(card)
        return card.channel
    }

    private static func apply(_ payload: [UInt8], to state: inout State, on isMeant: (Card) -> Bool) {
        guard let aps = (try? JSONValue(parsing: payload))?["aps"]?.object else { return }
        for index in state.cards.indices where isMeant(state.cards[index]) { state.cards[index].apply(aps) }
    }
}

extension SimulatedPhone.Card {
    /// The longest time that an ended card stays, in seconds.
    private static let longestDismissal: Int64 = 4 * 3_600

    /// Reads a start; `nil` if a member is missing, so that the system shows nothing.
    ///
    /// - Parameter updateToken: The update token, if the start asks for one.
    fileprivate init?(startedBy payload: [UInt8], updateToken: String) {
        guard let aps = (try? JSONValue(parsing: payload))?["aps"], aps["event"]?.string == "start",
            let timestamp = aps["timestamp"]?.integer, let contentState = aps["content-state"]?.object,
            let attributesType = aps["attributes-type"]?.string, !attributesType.isEmpty,
            let attributes = aps["attributes"]?.object, aps["alert"] != nil
        else { return nil }
        self.init(
            channel: aps["input-push-channel"]?.string,
            updateToken: aps["input-push-token"]?.integer == 1 ? updateToken : nil, attributesType: attributesType,
            attributes: attributes, contentState: contentState, timestamp: timestamp,
            staleDate: aps["stale-date"]?.integer)
    }

    /// Shows an update or an end, unless it is older than the card's content, or the card has ended.
    fileprivate mutating func apply(_ aps: JSONObject) {
        guard !isEnded, let timestamp = aps["timestamp"]?.integer, timestamp >= self.timestamp else { return }
        switch aps["event"]?.string {
        case "update":
            guard let contentState = aps["content-state"]?.object else { return }
            self.contentState = contentState
        case "end":
            if let contentState = aps["content-state"]?.object { self.contentState = contentState }
            isEnded = true
            let latest = timestamp + Self.longestDismissal
            dismissal = min(aps["dismissal-date"]?.integer ?? latest, latest)
        default: return
        }
        self.timestamp = timestamp
        staleDate = aps["stale-date"]?.integer
        updates += 1
        if aps["alert"] != nil { alerts += 1 }
    }
}
