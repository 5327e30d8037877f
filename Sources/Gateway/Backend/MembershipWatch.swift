import DocumentStore
import Instance
import ServiceLifecycle

/// A service that ends the gateway when another one has taken its work over, as after a pause of this process: what it
/// has in memory is the other one's to send.
struct MembershipWatch: Service {
    let membership: any Membership

    func run() async throws {
        let isRemoved = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await cancelWhenGracefulShutdown { await membership.untilRemoved() }
                return !Task.isShuttingDownGracefully && !Task.isCancelled
            }
            return await group.next() ?? false
        }
        guard isRemoved else { return }
        throw GatewayError(
            "another gateway has taken over the work of this one, which did not renew its place in the database of "
                + "store.url for too long. It has stopped, and everything accepted is in the database; start it again.")
    }
}
