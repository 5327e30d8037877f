import APNsSimulator
import JSON
import Synchronization

/// The messages that a gateway has accepted, recorded by the caller. Each trigger has its own conversation id.
final class Ledger: Sendable {
    private let conversations = Mutex<Set<String>>([])

    func accepted(_ conversation: String) { conversations.withLock { _ = $0.insert(conversation) } }

    var accepted: Set<String> { conversations.withLock { $0 } }

    /// A notification for one device, which counts once.
    struct Piece: Hashable {
        let conversation: String
        let token: String
    }

    /// Returns the pieces that must have arrived: each accepted conversation at each device.
    func expected(at tokens: [String]) -> Set<Piece> {
        Set(accepted.flatMap { conversation in tokens.map { Piece(conversation: conversation, token: $0) } })
    }
}

/// The pieces that arrived at a simulator. Each notification is read once, however often `read` is called.
struct Arrivals {
    /// The apns-ids under which each piece arrived.
    private(set) var ids: [Ledger.Piece: Set<String>] = [:]
    private var lastNumber = 0

    mutating func read(_ simulator: APNsSimulator) {
        guard simulator.counters.requests > lastNumber else { return }
        for notification in simulator.received() where notification.number > lastNumber {
            lastNumber = notification.number
            guard notification.isAccepted, let conversation = notification.payload?["conversation_id"]?.string,
                let token = notification.token
            else { continue }
            ids[Ledger.Piece(conversation: conversation, token: token), default: []].insert(notification.apnsID)
        }
    }
}
