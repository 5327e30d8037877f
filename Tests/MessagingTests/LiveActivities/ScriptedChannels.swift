import Messaging
import Synchronization

/// Apple's channels as a test controls them.
final class ScriptedChannels: ChannelService {
    struct State: Sendable {
        var channels: Set<ChannelID> = []
        /// The number of channels that were created.
        var created = 0
        /// The largest number of channels at a time.
        var peak = 0
        /// The ends that were published, by channel.
        var ends: Set<ChannelID> = []
        var publications: [ChannelID] = []
        /// The broadcasts that were published, in order.
        var broadcasts: [ChannelBroadcast] = []
        /// The number of requests.
        var requests = 0
        /// The error of all requests, which are not carried out.
        var error: ChannelError?
        /// The number of channels at a time, beyond which no other one is created.
        var limit = Int.max
        /// `true` to carry out creations and give no answer.
        var losesAnswers = false
    }

    private let state = Mutex(State())
    private let willDo: @Sendable () throws(ChannelError) -> Void

    /// - Parameter willDo: runs before each request, and after it. It can fail the request.
    init(willDo: @escaping @Sendable () throws(ChannelError) -> Void = {}) { self.willDo = willDo }

    var current: State { state.withLock { $0 } }
    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    static let noAnswer = ChannelError(.unavailable, reason: "timedOut", mayHaveHappened: true)

    private func perform<Output: Sendable>(
        _ body: (inout State) throws(ChannelError) -> Output
    ) throws(ChannelError) -> Output {
        try willDo()
        let output = try state.withLock { state throws(ChannelError) in
            state.requests += 1
            if let error = state.error { throw error }
            return try body(&state)
        }
        try willDo()
        return output
    }

    func resolved(_ app: AppIdentity) -> AppIdentity? {
        app.bundleID == "strange" ? nil : AppIdentity(bundleID: app.bundleID, environment: app.environment ?? "sandbox")
    }

    func create(for app: AppIdentity, storing: ChannelStorage) async throws(ChannelError) -> ChannelID {
        try perform { state throws(ChannelError) in
            guard state.channels.count < state.limit else {
                throw ChannelError(.limitReached, reason: "CannotCreateChannelConfig")
            }
            state.created += 1
            let id = ChannelID(rawValue: "channel\(state.created)")
            state.channels.insert(id)
            state.peak = max(state.peak, state.channels.count)
            if state.losesAnswers { throw Self.noAnswer }
            return id
        }
    }

    func channels(of app: AppIdentity) async throws(ChannelError) -> Set<ChannelID> {
        try perform { state throws(ChannelError) in state.channels }
    }

    func delete(_ channel: ChannelID, of app: AppIdentity) async throws(ChannelError) {
        try perform { state throws(ChannelError) in
            guard state.channels.remove(channel) != nil else {
                throw ChannelError(.unknownChannel, reason: "ChannelNotRegistered")
            }
        }
    }

    func publish(
        _ broadcast: ChannelBroadcast, to channel: ChannelID, of app: AppIdentity
    ) async throws(ChannelError) {
        try perform { state throws(ChannelError) in
            guard state.channels.contains(channel) else {
                throw ChannelError(.unknownChannel, reason: "ChannelNotRegistered")
            }
            state.publications.append(channel)
            state.broadcasts.append(broadcast)
            if String(decoding: broadcast.payload, as: UTF8.self).contains(#""event":"end""#) {
                state.ends.insert(channel)
            }
        }
    }
}
