internal import DocumentStore
internal import Logging

/// New devices, as many as there is room for.
extension CodeAgents {
    /// The existing documents of a subscription, and the places that were taken for the rest.
    private struct Room {
        let isServerKnown: Bool
        let places: [CollectionPath]
    }

    /// The longest single wait for places that are taken to be filled or freed.
    private static let patience = Duration.seconds(10)

    /// Writes a device that may be new, with its agent and server, in one commit.
    ///
    /// - Throws: `too_many_agents` or `too_many_devices` when there is no room for it.
    func add(_ subscription: Subscription, _ request: CheckedRequest) async throws {
        let room = try await newDevices.run(request.serverKey) { try await takePlaces(for: subscription) }
        defer { places.free(room.places) }
        let time = now()
        if !room.isServerKnown { try limits.admitNewServer(address: request.clientAddress, at: time.seconds) }
        do {
            _ = try await store.commit(
                writes(of: subscription, isServerKnown: room.isServerKnown, at: .timestamp(time)))
        } catch {
            if !room.isServerKnown { limits.takeBackNewServer(address: request.clientAddress, at: time.seconds) }
            throw error
        }
        if !room.isServerKnown { logger.info("new server", metadata: ["server": "\(request.serverKey.prefix(8))"]) }
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

    /// Takes a place for the device, and one for the agent, where they are new. Devices of one server come here one after
    /// the other, and are committed together.
    private func takePlaces(for subscription: Subscription) async throws -> Room {
        let agent = subscription.agent
        let (agents, devices) = (try agent.path.collection, try agent.devices)
        while true {
            // Before anything is read: what is committed from here on is counted twice at worst, and never not at all.
            let (agentsTaken, devicesTaken) = (places.taken(in: agents), places.taken(in: devices))
            let known = try await store.documents(
                at: [try CodeAgentsDocuments.server(agent.serverKey), try agent.path, subscription.device]
            ).map { $0 != nil }
            var (agentFits, deviceFits) = (known[1], known[2])
            if !agentFits {
                agentFits = try await hasRoom(configuration.maximumAgentsPerServer, in: agents, agentsTaken)
            }
            if !deviceFits {
                deviceFits = try await hasRoom(configuration.maximumDevicesPerAgent, in: devices, devicesTaken)
            }
            if agentFits, deviceFits {
                let room = Room(
                    isServerKnown: known[0], places: (known[1] ? [] : [agents]) + (known[2] ? [] : [devices]))
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

    /// Counts along the index of paths, without reading a document.
    private func hasRoom(_ limit: Int, in collection: CollectionPath, _ taken: Int) async throws -> Bool {
        guard limit > 0 else { return true }
        guard taken < limit else { return false }
        var query = Query.collection(collection).limited(to: limit)
        query.projection = []
        return try await store.count(query) + taken < limit
    }
}
