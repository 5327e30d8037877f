/// A time in which the commits of one engine to a database follow each other, without one of another engine in between.
///
/// An engine that shares its databases learns of others under the lock of a commit, so the present period may have
/// ended already. A commit that depends on it names it (``CommitOptions/period``), and is refused if it has ended.
package struct CommitPeriod: Hashable, Sendable {
    private var number = 0

    package init() {}

    /// The period that begins with the end of this one.
    package var next: CommitPeriod {
        var next = self
        next.number += 1
        return next
    }
}
