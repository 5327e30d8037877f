/// The place of this process among the members that share an engine's databases.
///
/// Each member does its own work under its name. A member that does not renew its place is removed by the others, and
/// then none of its commits is applied any more: its place has a number, which rises with each start, and each commit
/// checks it. So a member that sees that another one is gone can take its work over.
public protocol Membership: Sendable {
    /// The name, of letters and digits, under which this process has work. A process that starts again after a crash
    /// has the same.
    var name: String { get }
    /// `true` while no other member can have removed this one.
    var isHeld: Bool { get }
    /// `true` if this member does what only one may do. It is until its end.
    var isLeader: Bool { get }
    /// Returns the names of all members that have not been removed.
    func names() async throws(StoreError) -> Set<String>
    /// Waits until ``isHeld`` is `true` again, or the task is cancelled. Returns `false` if it never will be.
    func untilHeld() async -> Bool
    /// Waits until ``isLeader`` is `true`, or the task is cancelled.
    func untilLeader() async
    /// Waits until another member has removed this one, or the task is cancelled.
    func untilRemoved() async
}
