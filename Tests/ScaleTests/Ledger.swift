import APNsSimulator
import JSON
import Synchronization

/// What a gateway has accepted, kept by who asked it to: each trigger has a conversation id of its own.
final class Ledger: Sendable {
    private let conversations = Mutex<Set<String>>([])

    func accepted(_ conversation: String) { conversations.withLock { _ = $0.insert(conversation) } }

    var accepted: Set<String> { conversations.withLock { $0 } }

    /// A notification as its reader would count it.
    struct Piece: Hashable {
        let conversation: String
        let token: String
    }

    /// What must have arrived: every accepted conversation at every phone.
    func expected(at tokens: [String]) -> Set<Piece> {
        Set(accepted.flatMap { conversation in tokens.map { Piece(conversation: conversation, token: $0) } })
    }
}

/// The pieces that have arrived at a simulator, each notification read once, however often one looks.
struct Arrivals {
    /// The apns-ids under which each piece came.
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
