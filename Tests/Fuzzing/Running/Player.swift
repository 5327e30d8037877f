import NIOCore

/// Plays cases, each to its end.
struct Player: Sendable {
    /// The attempts at a request that gets no answer on a connection of its own. The answer to a request that is
    /// refused while it is still being sent can be lost.
    private static let attempts = 3

    let dialer: Dialer
    let ledger: Ledger
    let patience: Patience

    func play(_ fuzzCase: FuzzCase) async throws {
        switch fuzzCase.content {
        case .requests(let requests, let depth): try await play(requests, depth: depth, of: fuzzCase)
        case .bytes(let bytes, let route):
            let speaksHTTP = fuzzCase.way != .tlsJunk && fuzzCase.way != .proxy
            try await hold(
                ByteConversation(bytes, route: route, speaksHTTP: speaksHTTP, patience: patience), fuzzCase)
        case .streams(let bytes, let requests, let isInOrder):
            try await hold(
                StreamConversation(bytes, requests: requests, isInOrder: isInOrder, patience: patience), fuzzCase)
        }
    }

    private func hold(_ conversation: any Conversation, _ fuzzCase: FuzzCase) async throws {
        do {
            ledger.note(try await dialer.hold(conversation, over: fuzzCase.way).record, of: fuzzCase)
        } catch ChannelError.eof {
            ledger.note(Fault(.noAnswer, "no TLS", route: fuzzCase.way.rawValue), of: fuzzCase)
        }
    }

    /// Plays requests. A connection that the gateway ends in order is followed by another for the remaining requests.
    private func play(_ requests: [FuzzRequest], depth: Int, of fuzzCase: FuzzCase) async throws {
        var (first, attempt) = (0, 1)
        while first < requests.count {
            let conversation = RequestConversation(requests, from: first, depth: depth, patience: patience)
            let record: ConversationRecord
            do {
                record = try await dialer.hold(conversation, over: fuzzCase.way).record
            } catch ChannelError.eof {
                return ledger.note(Fault(.noAnswer, "no TLS", route: fuzzCase.way.rawValue), of: fuzzCase)
            }
            if record.next == first, attempt < Self.attempts {
                attempt += 1
                continue
            }
            ledger.note(record, of: fuzzCase)
            guard let next = record.next else { return }
            (first, attempt) = (max(next, first + 1), 1)
        }
    }
}
