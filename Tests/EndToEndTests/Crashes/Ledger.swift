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

    /// The apns-ids under which each piece came.
    static func arrived(_ received: [ReceivedNotification]) -> [Piece: Set<String>] {
        var ids: [Piece: Set<String>] = [:]
        for notification in received where notification.isAccepted {
            guard let conversation = notification.payload?["conversation_id"]?.string, let token = notification.token
            else { continue }
            ids[Piece(conversation: conversation, token: token), default: []].insert(notification.apnsID)
        }
        return ids
    }
}
