import DocumentStore
import Synchronization

/// The times at which servers have reported replies. They may be later than the stored ones.
///
/// A trigger stores the times of its server and its agent only if the stored ones are older than ``lag``. Nothing but
/// the clean-up and the list of servers reads them, and both know of the lag. Nothing shows an agent's time, so none is
/// here. A restart, and a restored backup, have the stored times.
final class ServerActivity: Sendable {
    /// The greatest age of a stored time with which it counts as current.
    static let lag = Duration.seconds(60 * 60)

    private let capacity: Int
    private let times = Mutex<[String: Timestamp]>([:])

    /// - Parameter capacity: The number of servers that are remembered. When there are more, all are forgotten, and the
    ///   stored times are shown again.
    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// Returns `true` if a stored time need not be written again. A time that is as far in the future is that of a
    /// clock that was wrong.
    static func isCurrent(_ stored: Timestamp?, at now: Timestamp) -> Bool {
        guard let stored else { return false }
        return stored > now.adding(.zero - lag) && stored < now.adding(lag)
    }

    /// Remembers that a server has reported a reply.
    func note(_ serverKey: String, at time: Timestamp) {
        times.withLock { times in
            if times.count >= capacity, times[serverKey] == nil { times.removeAll(keepingCapacity: true) }
            times[serverKey] = max(time, times[serverKey] ?? time)
        }
    }

    /// Returns the time of a server's last report to this gateway that is later than the stored one; `nil` if there is
    /// none.
    func time(of serverKey: String, after stored: Timestamp) -> Timestamp? {
        guard let time = times.withLock({ $0[serverKey] }), time > stored else { return nil }
        return time
    }
}
