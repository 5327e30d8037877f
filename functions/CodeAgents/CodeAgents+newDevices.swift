import DocumentStore
import Logging
import Messaging
import Synchronization

/// The registration of new devices, within the limits per server and agent.
extension CodeAgents {
    /// The state of a subscription's server, and the places reserved for its new documents.
    private struct Room {
        let isServerKnown: Bool
        /// `true` if the device was registered with another token.
        let replacesToken: Bool
        let places: [CollectionPath]
    }

    /// The longest single wait for reserved places to be filled or freed.
    private static let patience = Duration.seconds(10)

    /// Writes a device that may be new, with its agent and server, in one commit.
    ///
    /// - Parameter more: Further writes of the commit.
    /// - Throws: `too_many_agents` or `too_many_devices` if a limit is reached.
    func add(
        _ subscription: Subscription, _ request: CheckedRequest, alongside more: [Write]
    ) async throws -> Addition {
        let room = try await newDevices.run(request.serverKey) { try await takePlaces(for: subscription) }
        defer { places.free(room.places) }
        let time = now()
        if !room.isServerKnown { try limits.admitNewServer(address: request.clientAddress, at: time.seconds) }
        let formerRemovedAt: Timestamp?
        do {
            let writes = try writes(of: subscription, isServerKnown: room.isServerKnown, at: .timestamp(time))
            formerRemovedAt = try await commit(writes + more, of: subscription)
        } catch {
            if !room.isServerKnown { limits.takeBackNewServer(address: request.clientAddress, at: time.seconds) }
            throw error
        }
        if !room.isServerKnown {
            logger.info("registered a new server", metadata: ["server": "\(request.serverKey.prefix(8))"])
        }
        return Addition(formerRemovedAt: formerRemovedAt, replacesToken: room.replacesToken)
    }

    private func commit(
        _ writes: [Write], of subscription: Subscription
    ) async throws(StoreError) -> Timestamp? {
        guard let browser = subscription.browser else {
            _ = try await store.commit(writes)
            return nil
        }
        return try await reach.subscriptions.commit(writes, of: browser, at: subscription.device)
    }

    private func writes(
        of subscription: Subscription, isServerKnown: Bool, at time: Value
    ) throws(StoreError) -> [Write] {
        var server: Fields = [CodeAgentsDocuments.Field.lastSeenAt: time]
        if !isServerKnown { server[CodeAgentsDocuments.Field.createdAt] = time }
        let path = try CodeAgentsDocuments.server(subscription.agent.serverKey)
        return [
            .merge(path, server), .set(try subscription.agent.path(below: path), subscription.agentFields(at: time)),
            .set(subscription.device, subscription.deviceFields(at: time)),
        ]
    }

    /// Reserves a place for the device and one for the agent, if they are new. Devices of one server are handled one
    /// at a time here, and are committed together.
    private func takePlaces(for subscription: Subscription) async throws -> Room {
        let agent = subscription.agent
        let (agents, devices) = (try agent.path.collection, try agent.devices)
        while true {
            // Read the counts before any document. So a document committed meanwhile may count twice, but is never
            // missed.
            let (agentsTaken, devicesTaken) = (places.taken(in: agents), places.taken(in: devices))
            let documents = try await store.documents(
                at: [try CodeAgentsDocuments.server(agent.serverKey), try agent.path, subscription.device])
            try checkAccess(of: documents[0])
            var known = documents.map { $0 != nil }
            known[0] = documents[0]?.isOfRegisteredServer == true
            var (agentFits, deviceFits) = (known[1], known[2])
            if !agentFits {
                agentFits = try await hasRoom(settings.maximumAgentsPerServer, in: agents, agentsTaken)
            }
            if !deviceFits {
                deviceFits = try await hasRoom(settings.maximumDevicesPerAgent, in: devices, devicesTaken)
            }
            if agentFits, deviceFits {
                let room = Room(
                    isServerKnown: known[0], replacesToken: subscription.replacesToken(of: documents[2]),
                    places: (known[1] ? [] : [agents]) + (known[2] ? [] : [devices]))
                places.take(room.places)
                return room
            }
            guard agentsTaken + devicesTaken > 0 else {
                throw agentFits ? CodeAgentsError.tooManyDevices : .tooManyAgents
            }
            try Task.checkCancellation()
            await places.wait(untilFreeIn: [agents, devices], atMost: Self.patience, clock: clock)
        }
    }

    /// Counts on the index of paths, without reading any document.
    private func hasRoom(_ limit: Int, in collection: CollectionPath, _ taken: Int) async throws(StoreError) -> Bool {
        guard limit > 0 else { return true }
        guard taken < limit else { return false }
        var query = Query.collection(collection).limited(to: limit)
        query.projection = []
        return try await store.count(query) + taken < limit
    }
}

/// The result of a registration that looked at the stored documents.
struct Addition: Sendable {
    /// The time at which a push service ended the browser's former subscription; `nil` if none did.
    var formerRemovedAt: Timestamp?
    /// `true` if the device was registered with another token.
    var replacesToken = false
}

/// The devices that have registered recently with their tokens, about sixty thousand at most. The set is only a hint:
/// callers detect a wrong device, and one wrong token in 4,096 does no harm.
final class KnownDevices: Sendable {
    private static let count = 1 << 14
    /// The bits of a mark that are part of the token's hash. The others are part of the device's.
    private static let tokenBits: UInt32 = 0xFFF

    /// In each place, the marks of its last four devices, the latest first; 0 if empty.
    private let places = Mutex([SIMD4<UInt32>](repeating: .zero, count: count))

    /// Adds a device, or replaces its token.
    func insert(_ device: DocumentPath, _ token: RegistrationToken) {
        let (place, mark) = Self.place(of: device, token)
        places.withLock { places in
            let marks = places[place]
            if let index = marks.indices.first(where: { (marks[$0] ^ mark) & ~Self.tokenBits == 0 }) {
                places[place][index] = mark
            } else {
                places[place] = SIMD4(mark, marks[0], marks[1], marks[2])
            }
        }
    }

    func contains(_ device: DocumentPath, _ token: RegistrationToken) -> Bool {
        let (place, mark) = Self.place(of: device, token)
        return places.withLock { Self.has(mark, $0[place]) }
    }

    private static func has(_ mark: UInt32, _ marks: SIMD4<UInt32>) -> Bool {
        mark == marks[0] || mark == marks[1] || mark == marks[2] || mark == marks[3]
    }

    private static func place(of device: DocumentPath, _ token: RegistrationToken) -> (place: Int, mark: UInt32) {
        let hash = UInt64(truncatingIfNeeded: device.hashValue)
        // The bit above those of the token tells a mark from an empty place.
        let mark = UInt32(hash >> 32) & ~tokenBits | (tokenBits + 1)
        return (
            Int(hash % UInt64(count)), mark | UInt32(truncatingIfNeeded: token.hashValue) & tokenBits
        )
    }
}
