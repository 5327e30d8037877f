import NIOCore
import Testing

@testable import Gateway

@Suite("A budget for what clients cause")
struct HTTP2BudgetTests {
    private static let start = NIODeadline.uptimeNanoseconds(1)
    private var budget = HTTP2Budget(.init(allowance: 10, perSecond: 2, maximum: 15), at: Self.start)

    private mutating func spendable(at time: TimeAmount) -> Int {
        var count = 0
        while budget.spend(at: Self.start + time) { count += 1 }
        return count
    }

    @Test("is spent once, and comes back with time, up to the allowance")
    mutating func time() {
        #expect(spendable(at: .zero) == 10)
        // One too many is owed.
        #expect(spendable(at: .seconds(3)) == 5)
        #expect(spendable(at: .hours(1)) == 10)
    }

    @Test("grows by useful work, up to a maximum, which time leaves alone")
    mutating func work() {
        budget.earn(100)
        #expect(spendable(at: .seconds(60)) == 15)
    }
}
