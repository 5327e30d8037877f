/// A queue of callers for each server: one at a time, in the order of their calls, so that the last request to a
/// server is the last one that the app wanted.
actor CallerQueue<Server: Hashable & Sendable> {
    /// The waiting callers of each server that a caller uses at the moment.
    private var waiting: [Server: [AsyncStream<Void>.Continuation]] = [:]

    /// Waits for exclusive use of a server, which ``giveBack(_:)`` ends.
    ///
    /// - Returns: `false` if the caller was cancelled before its turn. It must not call ``giveBack(_:)`` then.
    func take(_ server: Server) async -> Bool {
        guard waiting[server] != nil else {
            waiting[server] = []
            return true
        }
        let (turn, caller) = AsyncStream.makeStream(of: Void.self)
        waiting[server]?.append(caller)
        for await _ in turn { return true }
        return false
    }

    /// Passes the turn to the next caller that has not been cancelled.
    func giveBack(_ server: Server) {
        while let next = waiting[server]?.first {
            waiting[server]?.removeFirst()
            if case .enqueued = next.yield() { return }
        }
        waiting[server] = nil
    }
}
