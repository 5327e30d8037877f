import DocumentStore

/// The members as this one has seen them at its renewals: pure bookkeeping, without a connection.
struct MemberList {
    typealias Instant = ContinuousClock.Instant

    /// A row of the table `members`.
    struct Row: Hashable {
        let name: String
        let number: Int64
        let renewals: Int64
        /// `true` if the member has left by itself.
        let hasLeft: Bool
    }

    /// The time without a renewal after which a member is removed.
    let patience: Duration
    /// The longest time between two renewals of this member in which it can have missed none of the others'.
    let longestGap: Duration
    private var since: [Row: Instant] = [:]
    private var last: Instant?

    init(patience: Duration, longestGap: Duration) {
        self.patience = patience
        self.longestGap = longestGap
    }

    /// Returns the members to remove: those that have left, and those that have not renewed their places while this one
    /// was looking.
    mutating func toRemove(_ rows: [Row], except name: String, at now: Instant) -> [Row] {
        // After a pause of this process or of the database, the others get the whole time again.
        if let last, now - last > longestGap { since = [:] }
        last = now
        since = Dictionary(uniqueKeysWithValues: rows.map { ($0, since[$0] ?? now) })
        return rows.filter { $0.name != name && ($0.hasLeft || now - since[$0, default: now] >= patience) }
    }

    /// Returns `true` if the member leads: it has the lowest number of those that have not left.
    static func leads(_ name: String, among rows: [Row]) -> Bool {
        rows.filter { !$0.hasLeft }.min { $0.number < $1.number }?.name == name
    }
}
