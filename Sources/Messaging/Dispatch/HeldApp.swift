package import DocumentStore

/// An app, or another sender of a push service, whose messages are held up: the service refuses all of them, or cannot
/// be reached. Several lanes may lead to one app; it is held up once for each reason.
package struct HeldApp: Sendable {
    /// The push service.
    package let transport: TransportName
    /// The name of the app at its push service, such as the bundle id; the service's if the app has none.
    package let name: String
    /// The lanes that are held up, as the configuration completes them.
    package fileprivate(set) var resolvedLanes: Set<Lane>
    /// The time of the first refusal.
    package fileprivate(set) var since: Timestamp
    /// The time of the next attempt. It may be over, while that attempt goes on.
    package fileprivate(set) var nextAttempt: Timestamp
    /// The last failure, which has the reason.
    package let failure: Failure
    /// The lanes that are held up, as messages name them.
    fileprivate(set) var lanes: [Lane]

    /// `true` if the push service refuses the sender, and an operator has to act; `false` if it cannot be reached.
    package var isRefused: Bool { failure.laneFailure == .refused }

    /// Returns `true` if the notifications of a lane are held up with the app.
    package func holds(_ lane: Lane) -> Bool { lanes.contains(lane) }
}

/// The number of messages that wait.
package struct WaitingMessages: Hashable, Sendable {
    /// The number.
    package let count: Int
    /// `false` if there may be more.
    package let isExact: Bool
}

extension Dispatcher {
    /// The greatest number of stored parts that are read to count waiting messages.
    private static let maximumParts = 1_000

    /// The apps that are held up now, in the order of their names.
    package var heldApps: [HeldApp] {
        var apps: [HeldAppKey: HeldApp] = [:]
        for (lane, pause) in lanes.unresolvedPauses {
            guard let failure = pause.failure else { continue }
            let resolved = resolved(lane)
            let key = HeldAppKey(resolved, because: failure.reason)
            var held =
                apps[key]
                ?? HeldApp(
                    transport: resolved.transport, name: resolved.app.bundleID ?? resolved.transport.rawValue,
                    resolvedLanes: [], since: pause.since, nextAttempt: pause.until, failure: failure, lanes: [])
            held.since = min(held.since, pause.since)
            held.nextAttempt = min(held.nextAttempt, pause.until)
            held.resolvedLanes.insert(resolved)
            held.lanes.append(lane)
            apps[key] = held
        }
        return apps.values.sorted { ($0.name, $0.transport.rawValue) < ($1.name, $1.transport.rawValue) }
    }

    /// Counts the messages that wait for an app that is held up, up to a bound. Those that other gateways have accepted
    /// are not among them.
    package func messagesWaiting(for app: HeldApp) async throws(StoreError) -> WaitingMessages {
        var (messages, left) = (Set<String>(), Self.maximumParts)
        for lane in app.lanes where left > 0 {
            let parts = try await store.documents(matching: queue.waiting(in: lane, limit: left))
            messages.formUnion(parts.compactMap { ChunkID($0.path)?.message })
            left -= parts.count
        }
        return WaitingMessages(count: messages.count, isExact: left > 0)
    }
}

/// The parts in which lanes agree that are held up as one app.
struct HeldAppKey: Hashable, Sendable {
    /// The lane of the app, without its environment.
    let app: Lane
    let reason: String

    /// - Parameter lane: the lane as the configuration completes it.
    init(_ lane: Lane, because reason: String) {
        app = lane.withoutEnvironment
        self.reason = reason
    }
}

extension Lane {
    /// The part that all lanes of one app share.
    package var withoutEnvironment: Lane { Lane(transport: transport, app: AppIdentity(bundleID: app.bundleID)) }
}
