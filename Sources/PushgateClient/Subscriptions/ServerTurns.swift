/// One turn at a time for each server, in the order of asking: what reaches the gateway last must be what is wanted last.
actor ServerTurns {
    /// Who waits, for each server whose turn somebody has.
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    /// Waits for the server's turn. It must be given back.
    func take(_ serverID: String) async {
        guard waiting[serverID] != nil else {
            waiting[serverID] = []
            return
        }
        await withCheckedContinuation { waiting[serverID, default: []].append($0) }
    }

    func giveBack(_ serverID: String) {
        guard var queue = waiting[serverID], !queue.isEmpty else {
            waiting[serverID] = nil
            return
        }
        let next = queue.removeFirst()
        waiting[serverID] = queue
        next.resume()
    }
}
