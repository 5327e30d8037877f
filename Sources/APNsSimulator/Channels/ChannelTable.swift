import Foundation
import Synchronization

/// The channels of all apps, and the phones that follow them.
final class ChannelTable: Sendable {
    private struct State {
        var channels: [String: BroadcastChannel] = [:]
        /// The number of present channels of each app.
        var counts: [String: Int] = [:]
        /// The apps of the channels that were deleted.
        var deleted: [String: String] = [:]
        var phones: [SimulatedPhone] = []
        /// The number of channels that were ever created.
        var created = 0
        /// The largest number of channels that one app had at a time.
        var peak = 0
    }

    /// The longest time that a broadcast is kept, in seconds.
    static let longestStorage: Int64 = 8 * 3_600

    /// The number of channels that an app may have.
    private let limit: Int
    private let makeUUID: @Sendable () -> String
    private let state = Mutex(State())

    init(limit: Int = 10_000, makeUUID: @escaping @Sendable () -> String = { UUIDText.random() }) {
        self.limit = limit
        self.makeUUID = makeUUID
    }

    /// The largest number of channels that one app had at a time.
    var peak: Int { state.withLock(\.peak) }

    // MARK: Management

    /// Creates a channel, with an id that no other one has had.
    func create(for bundleID: String, storingNewest: Bool, at now: Int64) throws(Refusal) -> String {
        let random = String(makeUUID().prefix(8))
        return try state.withLock { state throws(Refusal) in
            let count = state.counts[bundleID, default: 0]
            guard count < limit else {
                throw Refusal(.cannotCreateChannelConfig, "the app has \(count) channels, of at most \(limit)")
            }
            state.created += 1
            let number = String(state.created)
            let text = random + String(repeating: "0", count: max(0, 8 - number.count)) + number
            let id = Data(text.utf8).base64EncodedString()
            state.channels[id] = BroadcastChannel(
                id: id, bundleID: bundleID, storesNewest: storingNewest, createdAt: now)
            state.counts[bundleID] = count + 1
            state.peak = max(state.peak, count + 1)
            return id
        }
    }

    /// Returns a channel of an app.
    func channel(_ id: String, of bundleID: String) throws(Refusal) -> BroadcastChannel {
        try state.withLock { state throws(Refusal) in try Self.channel(id, of: bundleID, in: state) }
    }

    /// Deletes a channel of an app.
    func delete(_ id: String, of bundleID: String) throws(Refusal) {
        try state.withLock { state throws(Refusal) in
            _ = try Self.channel(id, of: bundleID, in: state)
            state.channels[id] = nil
            state.deleted[id] = bundleID
            state.counts[bundleID, default: 1] -= 1
        }
    }

    /// Returns the channels of an app, or of all apps, in the order of their ids.
    func channels(of bundleID: String? = nil) -> [BroadcastChannel] {
        state.withLock { state in
            state.channels.values.filter { bundleID == nil || $0.bundleID == bundleID }.sorted { $0.id < $1.id }
        }
    }

    private static func channel(
        _ id: String, of bundleID: String, in state: State
    ) throws(Refusal) -> BroadcastChannel {
        guard let owner = state.channels[id]?.bundleID ?? state.deleted[id] else {
            throw Refusal(.badChannelID, "there has never been a channel with this apns-channel-id")
        }
        guard owner == bundleID else {
            throw Refusal(.topicMismatch, "the channel belongs to \(owner), and the path names \(bundleID)")
        }
        guard let channel = state.channels[id] else {
            throw Refusal(.channelNotRegistered, "the channel was deleted")
        }
        return channel
    }

    // MARK: Broadcasts

    /// Sends a broadcast to the phones that follow a channel, and keeps it if the channel does.
    func publish(_ broadcast: ChannelOrder.Broadcast, of bundleID: String, at now: Int64) throws(Refusal) {
        let phones = try state.withLock { state throws(Refusal) in
            var channel = try Self.channel(broadcast.channel, of: bundleID, in: state)
            guard channel.storesNewest || broadcast.expiration == 0 else {
                throw Refusal(
                    .badExpirationDate,
                    "apns-expiration is \(broadcast.expiration); a channel with message storage policy 0 takes 0")
            }
            channel.broadcasts += 1
            if channel.storesNewest {
                let expiration = min(broadcast.expiration, now + Self.longestStorage)
                channel.stored =
                    expiration > now ? BroadcastChannel.Stored(payload: broadcast.payload, expiration: expiration) : nil
            }
            state.channels[broadcast.channel] = channel
            return state.phones
        }
        for phone in phones { phone.receive(broadcast.payload, from: broadcast.channel) }
    }

    // MARK: Phones

    func connect(_ phone: SimulatedPhone) { state.withLock { $0.phones.append(phone) } }

    /// Puts a phone back on the network.
    func reconnect(_ phone: SimulatedPhone, at now: Int64) {
        phone.goOnline { self.storedPayload(of: $0, for: phone, at: now) }
    }

    /// Gives an accepted notification to the phone with its token, or to the card. A card that follows a channel shows
    /// at once what is kept there.
    func deliver(_ payload: [UInt8], to token: String, at now: Int64) {
        for phone in state.withLock(\.phones) {
            guard phone.pushToStartToken == token else {
                phone.receive(payload, toCardWith: token)
                continue
            }
            guard let channel = phone.receive(payload) else { continue }
            if let stored = storedPayload(of: channel, for: phone, at: now) { phone.receive(stored, from: channel) }
        }
    }

    private func storedPayload(of id: String, for phone: SimulatedPhone, at now: Int64) -> [UInt8]? {
        let channel = state.withLock { $0.channels[id] }
        guard let channel, channel.bundleID == phone.bundleID, let stored = channel.stored, stored.expiration > now
        else { return nil }
        return stored.payload
    }
}
