import DocumentStore
import Foundation
import Logging
import Signals
import Synchronization

/// The place of this engine among those that share a server, in the table `members`.
///
/// A thread with a connection of its own renews it, so that neither long reads nor busy tasks delay that, and removes
/// the members that do not. The removal takes the lock of the gateway's own database, as each commit to it does: a
/// commit that checks its member's number under this lock is either visible to the one that removes, or refused.
final class DatabaseMember: Membership {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        var isEnding = false
        var isEnded = false
        var isRemoved = false
        var isLeader = false
        var hasOthers = false
        /// The time until which no other member removes this one.
        var heldUntil: Instant
    }

    let name: String
    /// The number that each commit checks.
    let number: Int64
    private let configuration: PostgreSQLStoreConfiguration
    private let pool: ConnectionThreadPool
    private let state: Mutex<State>
    private let changed = Signal()
    private let logger: Logger

    /// The parts of the lease: a member renews each fifteenth, is removed after twelve of them without a renewal, and
    /// so others have its work within the whole.
    private static func part(_ count: Int, of lease: Duration) -> Duration { lease * count / 15 }

    private static func patience(of lease: Duration) -> Duration { part(12, of: lease) }

    private var lease: Duration { configuration.leaseLength }
    private var patience: Duration { Self.patience(of: lease) }

    /// Joins the members: with the name that the settings give, if such a member was not removed meanwhile, or else
    /// with a new one.
    init(
        _ configuration: PostgreSQLStoreConfiguration, _ connection: Connection, _ pool: ConnectionThreadPool,
        logger: Logger
    ) throws {
        self.configuration = configuration
        self.pool = pool
        self.logger = logger
        let begin = Instant.now
        var (name, number) = (configuration.formerMember ?? "", nil as Int64?)
        try connection.inTransaction { connection in
            // Numbers become visible in their order, and a former process's last commit before its number is replaced.
            _ = try connection.run([
                Call(ServerSQL.lockSchema), Call(ServerSQL.lockDatabase, DatabaseID.gateway.parameters),
            ])
            number = try connection.run(ServerSQL.takeMember, [.text(name)]).first
            guard number == nil else { return }
            name = DocumentPath.randomID()
            number = try connection.run(ServerSQL.insertMember, [.text(name)]).first
        }
        self.name = name
        self.number = number ?? 0
        state = Mutex(State(heldUntil: begin + Self.patience(of: configuration.leaseLength)))
    }

    /// Begins to renew the place.
    func start() {
        let thread = Thread { [self] in keep() }
        thread.name = "store member"
        thread.start()
    }

    // MARK: Membership

    var isHeld: Bool { state.withLock { !$0.isRemoved && Instant.now < $0.heldUntil } }

    var isLeader: Bool { state.withLock(\.isLeader) }

    /// `true` if there were other members at the last renewal.
    var hasOthers: Bool { state.withLock(\.hasOthers) }

    func names() async throws(StoreError) -> Set<String> {
        Set(try await pool.run { try Self.rows($0) }.map(\.name))
    }

    func untilHeld() async -> Bool {
        await changed.wait { self.state.withLock { $0.isRemoved || $0.isEnding || Instant.now < $0.heldUntil } }
        return isHeld
    }

    func untilLeader() async { await changed.wait { self.isLeader } }

    func untilRemoved() async { await changed.wait { self.state.withLock(\.isRemoved) } }

    // MARK: The thread

    /// Renews the place until the member leaves.
    private func keep() {
        // A connection that was lost must not take the time in which the place is held.
        let slot = ConnectionSlot(configuration, patience: Self.part(4, of: lease))
        var list = MemberList(patience: patience, longestGap: Self.part(6, of: lease))
        repeat {
            let begin = Instant.now
            guard case .success(let rows) = slot.attempt({ try self.renew($0) }) else { continue }
            guard let rows else {
                noteRemoval()
                continue
            }
            change { state in
                state.heldUntil = begin + self.patience
                state.hasOthers = rows.count > 1
            }
            let removed = list.toRemove(rows, except: name, at: .now).filter { remove($0, slot) }
            if MemberList.leads(name, among: rows.filter { !removed.contains($0) }) { change { $0.isLeader = true } }
            pool.metrics.record(members: rows.count { !$0.hasLeft } - removed.count { !$0.hasLeft }, isLeader: isLeader)
        } while waits()
        _ = slot.attempt { connection in
            try connection.run(ServerSQL.leave, [.text(name), .integer(number)])
        }
        change { $0.isEnded = true }
    }

    /// Renews the place, and returns all members; `nil` if another member has removed this one.
    private func renew(_ connection: Connection) throws -> [MemberList.Row]? {
        let rows = try connection.run([
            Call(ServerSQL.renewMember, [.text(name), .integer(number)]), Call(ServerSQL.selectMembers),
        ])
        return rows[0].changed > 0 ? try Self.rows(rows[1]) : nil
    }

    /// Returns the rows of the members that have not left.
    static func present(_ connection: Connection) throws -> Set<MemberList.Row> {
        Set(try rows(connection).filter { !$0.hasLeft })
    }

    private static func rows(_ connection: Connection) throws -> [MemberList.Row] {
        try rows(try connection.run(ServerSQL.selectMembers))
    }

    private static func rows(_ rows: Rows) throws -> [MemberList.Row] {
        (0..<rows.count).map { row in
            MemberList.Row(
                name: rows.text(row, 0) ?? "", number: rows.integer(row, 1) ?? 0, renewals: rows.integer(row, 2) ?? 0,
                hasLeft: rows.isTrue(row, 3))
        }
    }

    /// Removes another member. Commits in progress end first.
    ///
    /// - Returns: `false` if it has renewed its place, or could not be removed now.
    private func remove(_ row: MemberList.Row, _ slot: ConnectionSlot) -> Bool {
        let removed = slot.attempt { connection in
            var count = 0
            try connection.inTransaction { connection in
                // A commit that is held up for longer must not delay the renewal of this member.
                try connection.run(
                    script: "SET LOCAL lock_timeout = \(Int(Self.part(1, of: lease) / .milliseconds(1)))")
                _ = try connection.run(ServerSQL.lockDatabase, DatabaseID.gateway.parameters)
                let parameters: [Parameter] = [.text(row.name), .integer(row.number), .integer(row.renewals)]
                count = try connection.run(ServerSQL.removeMember, parameters).changed
            }
            return count
        }
        guard case .success(let count) = removed, count > 0 else { return false }
        let metadata: Logger.Metadata = ["member": "\(row.name)"]
        if row.hasLeft {
            logger.info("noticed that another gateway has ended", metadata: metadata)
        } else {
            pool.metrics.countRemoval()
            logger.warning(
                "removed a gateway that did not renew its place; its work goes on here", metadata: metadata)
        }
        return true
    }

    /// Waits for the next renewal. Returns `false` if the member is to leave.
    ///
    /// It sleeps briefly, because the wait of a condition ends by the wall clock, which may be set back.
    private func waits() -> Bool {
        let next = Instant.now + Self.part(1, of: lease)
        while Instant.now < next {
            if state.withLock(\.isEnding) { return false }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return !state.withLock(\.isEnding)
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        changed.notify()
    }

    /// Notes that another member has removed this one.
    func noteRemoval() { change { $0.isRemoved = true } }

    // MARK: The end

    /// Begins to leave.
    func end() { change { $0.isEnding = true } }

    /// Leaves the members. Call it after the last commit.
    func close() async {
        end()
        await changed.wait { self.state.withLock(\.isEnded) }
    }
}

extension StoreError {
    static var removed: StoreError {
        StoreError(.unavailable, "another gateway has taken over the work of this one, and nothing was applied")
    }
}

extension Rows {
    /// The number in the first row; `nil` without rows.
    fileprivate var first: Int64? { count > 0 ? integer(0, 0) : nil }
}
