import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("The order in which messages were accepted")
struct AcceptanceOrderTests {
    private let order = AcceptanceOrder()

    /// Commits a chunk of a message to tokens.
    ///
    /// - Returns: `true` if it replaces a message that is being cut.
    @discardableResult
    private func commit(
        _ id: String, to tokens: [String], collapseID: String = "chat", owner: String = "s"
    ) -> Bool {
        order.committed(
            [.sample(of: id, to: tokens)], of: .sample(id: id, collapseID: collapseID, owner: owner))
    }

    private func overtaken(_ id: String, _ tokens: [String]) -> [Int] {
        order.overtaken(in: .sample(of: id, to: tokens))
    }

    @Test("The id of each message is greater than those before, also if the clock stands still or is set back")
    func ids() {
        let time = ManualClock.start
        let times = [time, time, time, time.adding(.seconds(-3_600)), time.adding(.seconds(1)), time]
        let ids = times.map(order.nextID)
        #expect(ids == ids.sorted() && Set(ids).count == ids.count)
    }

    @Test("A page leaves out the devices that have a newer message, until the message is cut")
    func devices() {
        order.begin(.sample(id: "m2"))
        commit("m1", to: ["a"])
        commit("m3", to: ["b", "d"])
        #expect(overtaken("m2", ["a", "b", "c"]) == [1])
        order.begin(.sample(id: "m2"))
        #expect(overtaken("m2", ["a", "b", "c"]) == [1])
        order.end("m2")
        #expect(overtaken("m2", ["a", "b", "c"]).isEmpty)
    }

    @Test("A commit knows if an older message of its kind is being cut")
    func cutting() {
        #expect(!order.isCuttingOlder(than: .sample(id: "m1")))
        order.begin(.sample(id: "m2"))
        #expect(!order.isCuttingOlder(than: .sample(id: "m1")) && !commit("m1", to: ["a"]))
        #expect(order.isCuttingOlder(than: .sample(id: "m3")) && commit("m3", to: ["a"]))
        order.end("m2")
        #expect(!order.isCuttingOlder(than: .sample(id: "m4")) && !commit("m4", to: ["a"]))
    }

    @Test("Messages of another collapse id or sender overtake nothing")
    func others() {
        order.begin(.sample(id: "m2"))
        #expect(!commit("m3", to: ["a"], collapseID: "other"))
        #expect(!commit("m4", to: ["a"], owner: "other"))
        #expect(overtaken("m2", ["a"]).isEmpty)
    }

    @Test("Two messages that are cut in turns: the older one leaves out the devices of the newer one's pages")
    func two() {
        order.begin(.sample(id: "m1"))
        order.begin(.sample(id: "m2"))
        commit("m1", to: ["a"])
        commit("m2", to: ["a", "b"])
        #expect(overtaken("m1", ["a", "b", "c"]) == [0, 1])
        #expect(overtaken("m2", ["a", "b", "c"]).isEmpty)
        commit("m3", to: ["c"])
        order.end("m1")
        #expect(overtaken("m2", ["a", "b", "c"]) == [2])
    }
}
