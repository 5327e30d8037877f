import DequeModule

/// The requests for one path that keep their order, without I/O.
///
/// A server sees requests on two connections in any order. So a request uses the connection of the one before while
/// that waits for its response, and waits if that connection accepts no more.
struct Succession {
    /// The connection for the next request.
    enum Turn {
        /// Any connection will do.
        case free
        case on(Connection)
        /// None yet: an earlier request waits for a connection too.
        case behind
    }

    private static let smallestLimit = 1_024

    /// The last request that was started for each path. Those that are finished are removed from time to time.
    private var latest: [String: Exchange] = [:]
    private var limit = smallestLimit
    /// The requests that wait for an earlier one, by path; never an empty queue.
    private var followers: [String: Deque<Exchange>] = [:]

    var hasFollowers: Bool { !followers.isEmpty }

    func turn(of exchange: Exchange) -> Turn {
        guard exchange.request.keepsOrder, let before = latest[exchange.request.path],
            before.number < exchange.number, !before.isFinished
        else { return .free }
        return before.connection.map(Turn.on) ?? .behind
    }

    mutating func started(_ exchange: Exchange) {
        guard exchange.request.keepsOrder else { return }
        exchange.takePlace(of: &latest[exchange.request.path])
        if latest.count >= limit { removeFinished() }
    }

    mutating func removeFinished() {
        guard !latest.isEmpty else { return }
        latest = latest.filter { !$0.value.isFinished }
        limit = max(Self.smallestLimit, 2 * latest.count)
    }

    // MARK: Followers

    func holds(_ exchange: Exchange) -> Bool {
        followers[exchange.request.path]?.contains { $0 === exchange } ?? false
    }

    var paths: [String] { Array(followers.keys) }

    func hasFollowers(of path: String) -> Bool { !followers.isEmpty && followers[path] != nil }

    /// Returns `true` if requests wait that a new one must not overtake.
    func hasFollowers(before exchange: Exchange) -> Bool {
        guard exchange.request.keepsOrder, let first = followers[exchange.request.path]?.first else { return false }
        return first.number < exchange.number
    }

    /// Lets a request wait, at its place if it was taken back.
    mutating func hold(_ exchange: Exchange) {
        var queue = followers.removeValue(forKey: exchange.request.path) ?? []
        if let last = queue.last, last.number > exchange.number {
            let position = queue.firstIndex { $0.number > exchange.number } ?? queue.endIndex
            queue.insert(exchange, at: position)
        } else {
            queue.append(exchange)
        }
        followers[exchange.request.path] = queue
    }

    /// Returns the first request that waits for others with its path. Cancelled ones already have their result.
    mutating func first(of path: String) -> Exchange? {
        while let exchange = followers[path]?.first {
            guard exchange.isFinished else { return exchange }
            removeFirst(of: path)
        }
        return nil
    }

    mutating func removeFirst(of path: String) {
        followers[path]?.removeFirst()
        if followers[path]?.isEmpty == true { followers[path] = nil }
    }

    mutating func remove(_ exchange: Exchange) {
        followers[exchange.request.path]?.removeAll { $0 === exchange }
        if followers[exchange.request.path]?.isEmpty == true { followers[exchange.request.path] = nil }
    }

    /// Removes all requests that wait for others, and returns them.
    mutating func removeFollowers() -> [Exchange] {
        defer { followers = [:] }
        return followers.values.flatMap(\.self)
    }
}

extension Exchange {
    /// Takes the place of the last request that was started for the path, unless that comes after this one: a request
    /// that the server has refused comes after those that it has not.
    fileprivate func takePlace(of last: inout Exchange?) {
        if let last, last.number > number, !last.isFinished, last.connection != nil { return }
        last = self
    }
}
