import DocumentStore
import TestDoubles
import Testing

@testable import Functions

@Suite("Servers' times that are not stored")
struct ServerActivityTests {
    private let now = ManualClock.start

    @Test(
        "A stored time is current for less than an hour, in both directions",
        arguments: [(-3_600, false), (-3_599, true), (0, true), (3_599, true), (3_600, false), (-86_400, false)])
    func current(seconds: Int, isCurrent: Bool) {
        #expect(ServerActivity.isCurrent(now.adding(.seconds(seconds)), at: now) == isCurrent)
    }

    @Test("A time that is missing is not current")
    func missing() { #expect(!ServerActivity.isCurrent(nil, at: now)) }

    @Test("A noted time is known if it is later than the stored one, and an earlier one does not replace it")
    func noted() {
        let activity = ServerActivity()
        #expect(activity.time(of: "a", after: .distantPast) == nil)
        activity.note("a", at: now)
        activity.note("a", at: now.adding(.seconds(-1)))
        #expect(activity.time(of: "a", after: now.adding(.seconds(-1))) == now)
        #expect(activity.time(of: "a", after: now) == nil)
        #expect(activity.time(of: "b", after: .distantPast) == nil)
    }

    @Test("No more servers are remembered than there is room for, and the last one always is")
    func bound() {
        let activity = ServerActivity(capacity: 3)
        let keys = (0..<100).map { "\($0)" }
        for key in keys {
            activity.note(key, at: now)
            #expect(activity.time(of: key, after: .distantPast) == now)
            #expect(keys.count { activity.time(of: $0, after: .distantPast) != nil } <= 3)
        }
        // A known server takes no room.
        for _ in 0..<10 { activity.note("99", at: now) }
        activity.note("98", at: now)
        #expect(activity.time(of: "99", after: .distantPast) == now)
    }
}
