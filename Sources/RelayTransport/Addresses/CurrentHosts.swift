import Synchronization

/// The relays that addresses may name, which a reload replaces.
package final class CurrentHosts: Sendable {
    private let hosts: Mutex<RelayHosts>

    package init(_ hosts: RelayHosts) { self.hosts = Mutex(hosts) }

    /// The relays at the moment.
    package var value: RelayHosts { hosts.withLock { $0 } }

    /// Replaces the relays.
    ///
    /// - Returns: `false` if they are the same.
    func replace(_ new: RelayHosts) -> Bool {
        hosts.withLock { old in
            guard new != old else { return false }
            old = new
            return true
        }
    }
}
