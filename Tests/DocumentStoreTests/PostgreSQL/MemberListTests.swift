import Testing

@testable import PostgreSQLStore

@Suite("PostgreSQL: the list of members")
struct MemberListTests {
    private static let start = ContinuousClock.now

    private func row(_ name: String, _ number: Int64, renewals: Int64 = 0, hasLeft: Bool = false) -> MemberList.Row {
        MemberList.Row(name: name, number: number, renewals: renewals, hasLeft: hasLeft)
    }

    /// Looks at rows once a second, and returns the names to remove each time.
    private func looks(_ rows: [[MemberList.Row]], at times: [Int]? = nil) -> [[String]] {
        var list = MemberList(patience: .seconds(3), longestGap: .milliseconds(1_500))
        return zip(times ?? Array(0..<rows.count), rows).map { second, rows in
            list.toRemove(rows, except: "me", at: Self.start + .seconds(second)).map(\.name)
        }
    }

    @Test("A member is removed after its patience without a renewal, and at once if it has left")
    func silence() {
        let rows = (0..<6).map { [row("me", 1), row("other", 2, renewals: min(Int64($0), 2))] }
        #expect(looks(rows) == [[], [], [], [], [], ["other"]])
        #expect(looks([[row("other", 2, hasLeft: true)]]) == [["other"]])
        #expect(looks(Array(repeating: [row("me", 1)], count: 6)).allSatisfy { $0.isEmpty })
    }

    @Test("After a pause of the one that looks, as while the database is away, all others get the whole time again")
    func pause() {
        let rows = Array(repeating: [row("other", 2)], count: 6)
        #expect(looks(rows, at: [0, 1, 20, 21, 22, 23]) == [[], [], [], [], [], ["other"]])
    }

    @Test("The lowest number of those that have not left leads")
    func leader() {
        let rows = [row("a", 3), row("b", 1, hasLeft: true), row("c", 2)]
        #expect(MemberList.leads("c", among: rows))
        #expect(!MemberList.leads("a", among: rows) && !MemberList.leads("b", among: rows))
        #expect(!MemberList.leads("d", among: []))
    }
}
