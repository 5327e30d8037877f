/// One turn at a time for each server, in the order of asking: what reaches the gateway last must be what is wanted last.
actor ServerTurns {
    /// Who waits, for each server whose turn somebody has.
    private var waiting: [ServerAccount: [AsyncStream<Void>.Continuation]] = [:]

    /// Waits for the server's turn. It must be given back.
    ///
    /// - Returns: false when the caller was cancelled before the turn came: it has none.
    func take(_ account: ServerAccount) async -> Bool {
        guard waiting[account] != nil else {
            waiting[account] = []
            return true
        }
        let (turn, caller) = AsyncStream.makeStream(of: Void.self)
        waiting[account]?.append(caller)
        for await _ in turn { return true }
        return false
    }

    /// Passes the turn on, over those who have given up meanwhile.
    func giveBack(_ account: ServerAccount) {
        while let next = waiting[account]?.first {
            waiting[account]?.removeFirst()
            if case .enqueued = next.yield() { return }
        }
        waiting[account] = nil
    }
}
