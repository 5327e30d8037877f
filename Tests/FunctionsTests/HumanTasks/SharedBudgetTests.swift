import Testing

@testable import Functions

@Suite("A budget shared by networks")
struct SharedBudgetTests {
    private func network(_ number: Int, _ address: Int = 0) -> [String] {
        ["\(number).\(address)", "\(number)/24", "all/16"]
    }

    @Test("A single upload gets the whole budget and no more")
    func alone() {
        var budget = SharedBudget(100)
        let one = budget.begin(network(1))
        let outcome1 = budget.take(100, for: one)
        #expect(outcome1 == .init(isGranted: true))
        let outcome2 = budget.take(1, for: one)
        #expect(outcome2 == .init(isGranted: false))
        #expect(budget.used == 100)
        budget.end(one)
        #expect(budget.used == 0)
    }

    @Test("A new upload takes from the largest upload of the largest address of the largest network")
    func victim() {
        var budget = SharedBudget(100)
        let small = [budget.begin(network(1)), budget.begin(network(2))]
        for holder in small { _ = budget.take(20, for: holder) }
        let large = [network(3, 0), network(3, 1), network(3, 1)].map { budget.begin($0) }
        for (holder, amount) in zip(large, [18, 12, 30]) { _ = budget.take(amount, for: holder) }
        let new = budget.begin(network(4))
        let outcome3 = budget.take(25, for: new)
        #expect(outcome3 == .init(isGranted: true, evicted: [large[2]]))
        #expect(budget.used == 95)
        let outcome4 = budget.take(30, for: new)
        #expect(outcome4 == .init(isGranted: false))
    }

    @Test("An upload takes nothing from uploads that hold less than it would hold")
    func heaviest() {
        var budget = SharedBudget(100)
        for number in 0..<9 {
            let holder = budget.begin(network(number))
            let outcome5 = budget.take(10, for: holder)
            #expect(outcome5.isGranted)
        }
        let greedy = budget.begin(network(9))
        let outcome6 = budget.take(9, for: greedy)
        #expect(outcome6.isGranted)
        let outcome7 = budget.take(1, for: greedy)
        #expect(outcome7.isGranted)
        let outcome8 = budget.take(1, for: greedy)
        #expect(outcome8 == .init(isGranted: false))
        let neighbor = budget.begin(network(9, 1))
        let outcome9 = budget.take(5, for: neighbor)
        #expect(outcome9 == .init(isGranted: true, evicted: [greedy]))
    }

    @Test("The budget is shared among the uploads of one address")
    func oneAddress() {
        var budget = SharedBudget(100)
        let large = budget.begin(["unknown"])
        let outcome10 = budget.take(90, for: large)
        #expect(outcome10.isGranted)
        let new = budget.begin(["unknown"])
        let outcome11 = budget.take(20, for: new)
        #expect(outcome11 == .init(isGranted: true, evicted: [large]))
        let outcome12 = budget.take(1, for: large)
        #expect(outcome12 == .init(isGranted: false))
        let outcome13 = budget.keep(large)
        #expect(outcome13 == false)
    }

    @Test("A completed upload that waits for processing keeps its share")
    func kept() {
        var budget = SharedBudget(100)
        let whole = budget.begin(network(1))
        let outcome14 = budget.take(90, for: whole)
        #expect(outcome14.isGranted)
        let outcome15 = budget.keep(whole)
        #expect(outcome15)
        let new = budget.begin(network(2))
        let outcome16 = budget.take(20, for: new)
        #expect(outcome16 == .init(isGranted: false))
        let outcome17 = budget.take(10, for: new)
        #expect(outcome17.isGranted)
    }

    @Test("Uploads from a hundred addresses of one network leave a share for other networks")
    func flood() {
        var budget = SharedBudget(1_000)
        for address in 0..<100 {
            let holder = budget.begin(network(1, address))
            let outcome18 = budget.take(10, for: holder)
            #expect(outcome18.isGranted)
        }
        for number in 2..<6 {
            let holder = budget.begin(network(number))
            let outcome19 = budget.take(150, for: holder)
            #expect(outcome19.isGranted)
        }
        #expect(budget.used <= 1_000)
    }
}
