import DocumentStore

/// At most 500 targets of a message, all on one lane: the unit of durability and of scheduling.
///
/// It is written once when the message is accepted, written again when its targets settle, and read back after a
/// crash.
struct Chunk: Sendable {
    let id: ChunkID
    /// `true` if the chunk is stored in its message's document. That applies to the first chunk, unless the message
    /// is a broadcast.
    let isInMessage: Bool
    let lane: Lane
    /// The messages that this one replaces, and that replace it; `nil` for a message without a collapse id.
    var collapseKey: CollapseKey?
    /// Further messages that this one replaces. They are not stored: the commit that accepts it marks them.
    var withdrawnKeys: [CollapseKey] = []
    /// `true` if the pending targets follow the addresses of their registrations.
    var followsRegistrations = false
    var entries: [Entry]
    /// The collection of all registrations, so that targets do not repeat it; `nil` if there are several.
    let registrations: CollectionPath?
    /// The number of attempts so far.
    var attempts: Int
    /// The time of the next attempt.
    var dueAt: Timestamp

    /// Makes a chunk without a collapse key.
    ///
    /// - Parameter collection: the collection that the registrations are mostly in, if it is known.
    init(
        id: ChunkID, isInMessage: Bool, lane: Lane, entries: [Entry], below collection: CollectionPath? = nil,
        attempts: Int, dueAt: Timestamp
    ) {
        self.id = id
        self.isInMessage = isInMessage
        self.lane = lane
        self.entries = entries
        registrations = Self.commonCollection(of: entries, mostly: collection)
        self.attempts = attempts
        self.dueAt = dueAt
    }

    private static func commonCollection(of entries: [Entry], mostly known: CollectionPath?) -> CollectionPath? {
        guard let first = entries.lazy.compactMap(\.registration).first else { return nil }
        let collection = known.flatMap { first.isIn($0) ? $0 : nil } ?? first.collection
        return entries.allSatisfy { $0.registration?.isIn(collection) ?? true } ? collection : nil
    }

    /// `true` if the app of a pending target reports what arrives.
    var asksForReceipts: Bool { entries.contains { $0.target?.address.asksForReceipts ?? false } }

    var isSettled: Bool { entries.allSatisfy { $0.state != .pending } }

    /// Returns the targets that may be sent to at a time.
    func pendingTargets(at time: Timestamp) -> [(index: Int, target: Target)] {
        entries.indices.compactMap { index in entries[index].pendingTarget(at: time).map { (index, $0) } }
    }

    /// Returns the time of the first possible attempt at a pending target, at or after a given time.
    func nextTry(notBefore time: Timestamp) -> Timestamp {
        entries.lazy.filter { $0.state == .pending }.map { max($0.notBefore ?? time, time) }.min() ?? time
    }
}

extension Chunk {
    /// The state of one target.
    enum State: Hashable, Sendable {
        case pending
        case accepted
        case rejected(code: String, reason: String)
        /// A newer message to the same address has replaced it before a push service accepted it.
        case superseded
    }

    /// A failed attempt at one target.
    struct FailedAttempt: Hashable, Sendable {
        let at: Timestamp
        let code: String
        let reason: String
    }

    /// One target with its state.
    struct Entry: Sendable {
        /// The target; `nil` once settled, so that a token is kept only as long as it is needed.
        var target: Target?
        /// The registration of the target, which is kept after it settled.
        let registration: DocumentPath?
        var state: State
        /// The time at which the target settled.
        var settledAt: Timestamp?
        /// The last failed attempts.
        var failures: [FailedAttempt] = []
        /// The time before which the push service accepts nothing for the target.
        var notBefore: Timestamp?
        /// `true` if a newer message replaces the target, which is to be settled without being sent to.
        var isReplaced = false

        /// The number of failed attempts that are kept.
        static let maximumFailures = 10

        init(target: Target) {
            self.target = target
            registration = target.registration
            state = .pending
        }

        init(registration: DocumentPath?, state: State) {
            self.registration = registration
            self.state = state
        }
    }
}

extension Chunk.Entry {
    /// Returns the target if it may be sent to at a time.
    func pendingTarget(at time: Timestamp) -> Target? {
        state == .pending && notBefore ?? time <= time ? target : nil
    }

    mutating func record(_ outcome: Outcome, at time: Timestamp) {
        switch outcome {
        case .accepted: settle(.accepted, at: time)
        case .rejected(let rejection):
            settle(.rejected(code: rejection.code.rawValue, reason: rejection.reason), at: time)
        case .failed(let failure): fail(failure, at: time)
        }
    }

    mutating func supersede(at time: Timestamp) { settle(.superseded, at: time) }

    private mutating func settle(_ state: Chunk.State, at time: Timestamp) {
        self.state = state
        settledAt = time
        target = nil
        notBefore = nil
    }

    private mutating func fail(_ failure: Failure, at time: Timestamp) {
        notBefore = failure.laneFailure != nil ? nil : failure.retryAfter.map { time.adding($0) }
        failures.append(Chunk.FailedAttempt(at: time, code: failure.code.rawValue, reason: failure.reason))
        failures.removeFirst(max(0, failures.count - Self.maximumFailures))
    }
}

/// The form of a target in a pending chunk's document, a map: `state` (`pending`, `accepted`, `rejected`,
/// `superseded`), `device` (the registration's id; or its whole path as `registration`, in chunks of several
/// collections), `failures`? (`at`, `code` and `reason` of each); while pending `token`, `addressAttributes`?,
/// `receipts`? and `notBefore`?; later `at`, and if rejected `code` and `reason`.
extension Chunk.Entry {
    func value(below collection: CollectionPath?) -> Value {
        var map = Fields(minimumCapacity: 3)
        if let registration {
            let isBelow = collection.map(registration.isIn) ?? false
            map[isBelow ? "device" : "registration"] = .string(isBelow ? registration.id : registration.description)
        }
        map["at"] = settledAt.map(Value.timestamp)
        if !failures.isEmpty { map["failures"] = .array(failures.map(\.value)) }
        switch state {
        case .accepted: map["state"] = .string("accepted")
        case .superseded: map["state"] = .string("superseded")
        case .rejected(let code, let reason):
            map["state"] = .string("rejected")
            map["code"] = .string(code)
            map["reason"] = .string(reason)
        case .pending:
            map["state"] = .string("pending")
            map["token"] = target.map { .string($0.address.token.value) }
            map[RegistrationFields.attributes] = target?.address.attributes.value
            if target?.address.asksForReceipts == true { map[RegistrationFields.receipts] = .boolean(true) }
            map["notBefore"] = notBefore.map(Value.timestamp)
        }
        return .map(map)
    }

    init?(value: Value, lane: Lane, below collection: CollectionPath?) {
        guard let map = value.map, let state = Chunk.State(map) else { return nil }
        let registration =
            map["device"]?.string.flatMap { try? collection?.document($0) }
            ?? map["registration"]?.string.flatMap { try? DocumentPath($0) }
        self.init(registration: registration, state: state)
        settledAt = map["at"]?.timestamp
        failures = map["failures"]?.array?.compactMap(Chunk.FailedAttempt.init) ?? []
        guard state == .pending else { return }
        guard let token = map["token"]?.string else { return nil }
        target = Target(
            address: PushAddress(
                transport: lane.transport, token: RegistrationToken(token),
                attributes: AddressAttributes(
                    app: lane.app, stored: map[RegistrationFields.attributes],
                    asksForReceipts: map[RegistrationFields.receipts]?.boolean ?? false)),
            registration: registration)
        notBefore = map["notBefore"]?.timestamp
    }
}

extension Chunk.State {
    fileprivate init?(_ map: Fields) {
        switch map["state"]?.string {
        case "pending": self = .pending
        case "accepted": self = .accepted
        case "superseded": self = .superseded
        case "rejected":
            guard let code = map["code"]?.string, let reason = map["reason"]?.string else { return nil }
            self = .rejected(code: code, reason: reason)
        default: return nil
        }
    }
}

extension Chunk.FailedAttempt {
    fileprivate var value: Value {
        .map(["at": .timestamp(at), "code": .string(code), "reason": .string(reason)])
    }

    fileprivate init?(_ value: Value) {
        guard let map = value.map, let at = map["at"]?.timestamp, let code = map["code"]?.string,
            let reason = map["reason"]?.string
        else { return nil }
        self.init(at: at, code: code, reason: reason)
    }
}
