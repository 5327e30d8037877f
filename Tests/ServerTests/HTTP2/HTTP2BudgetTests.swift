import NIOCore
import Testing

@testable import Server

@Suite("Budget for work that clients cause")
struct HTTP2BudgetTests {
    private static let start = NIODeadline.uptimeNanoseconds(1)
    private var budget = HTTP2Budget(.init(allowance: 10, perSecond: 2, maximum: 15), at: Self.start)

    private mutating func spendable(at time: TimeAmount) -> Int {
        var count = 0
        while budget.spend(at: Self.start + time) { count += 1 }
        return count
    }

    @Test("A budget is spent once, and refills with time up to its allowance")
    mutating func time() {
        #expect(spendable(at: .zero) == 10)
        // An overdraft of one is subtracted from the refill.
        #expect(spendable(at: .seconds(3)) == 5)
        #expect(spendable(at: .hours(1)) == 10)
    }

    @Test("A budget grows with useful work up to a maximum, and time does not reduce it")
    mutating func work() {
        budget.earn(100)
        #expect(spendable(at: .seconds(60)) == 15)
    }
}
