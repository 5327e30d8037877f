import DocumentStore
import Signals
import Synchronization

/// Members of a cluster that a test controls.
package final class TestCluster: Sendable {
    fileprivate struct State {
        var names: Set<String> = []
        var leader: String?
        var unheld: Set<String> = []
        var removed: Set<String> = []
    }

    fileprivate let state = Mutex(State())
    fileprivate let changed = Signal()

    package init() {}

    /// The number of callers that wait for a change of a member.
    package var waiting: Int { changed.waiterCount }

    /// Adds a member. The first one leads.
    package func join(_ name: String) -> TestMembership {
        change { state in
            state.names.insert(name)
            state.leader = state.leader ?? name
        }
        return TestMembership(name: name, cluster: self)
    }

    package func lead(_ name: String) { change { $0.leader = name } }

    /// Removes a member, which does not notice that.
    package func remove(_ name: String) { change { $0.names.remove(name) } }

    /// Lets a member notice that it was removed.
    package func notify(_ name: String) { change { $0.removed.insert(name) } }

    package func hold(_ name: String, _ isHeld: Bool) {
        change { state in
            if isHeld { state.unheld.remove(name) } else { state.unheld.insert(name) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        changed.notify()
    }
}

/// A member of a ``TestCluster``.
package struct TestMembership: Membership {
    package let name: String
    let cluster: TestCluster

    package var isHeld: Bool {
        cluster.state.withLock { !$0.unheld.contains(name) && !$0.removed.contains(name) }
    }

    package var isLeader: Bool { cluster.state.withLock { $0.leader == name } }

    package func names() async -> Set<String> { cluster.state.withLock(\.names) }

    package func untilHeld() async -> Bool {
        await cluster.changed.wait { isHeld || cluster.state.withLock { $0.removed.contains(name) } }
        return isHeld
    }

    package func untilLeader() async { await cluster.changed.wait { isLeader } }

    package func untilRemoved() async {
        await cluster.changed.wait { cluster.state.withLock { $0.removed.contains(name) } }
    }
}
