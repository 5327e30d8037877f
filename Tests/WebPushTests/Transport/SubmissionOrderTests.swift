import Synchronization
import TestDoubles
import Testing

@testable import WebPush

@Suite("Order of submission", .timeLimit(.minutes(10)))
struct SubmissionOrderTests {
    /// The places in the order in which they were left.
    private final class Departures: Sendable {
        private let places = Mutex<[Int]>([])

        var all: [Int] { places.withLock(\.self) }

        func add(_ place: Int) { places.withLock { $0.append(place) } }
    }

    private let order = SubmissionOrder()

    @Test("A place waits for the earlier ones of its line, and for no other line")
    func waiting() async throws {
        let (first, second, third) = (order.enter("a"), order.enter("a"), order.enter("a"))
        let other = order.enter("b")
        await order.wait(for: other)
        await order.wait(for: first)
        let left = Departures()
        await withDiscardingTaskGroup { group in
            group.addTask {
                await order.wait(for: third)
                left.add(3)
                order.leave(third)
            }
            group.addTask {
                await order.wait(for: second)
                left.add(2)
                order.leave(second)
            }
            left.add(1)
            order.leave(first)
        }
        #expect(left.all == [1, 2, 3])
        order.leave(other)
        #expect(order.count == 0)
    }

    @Test("A place that was left waits for nothing, and a place may be left before its turn")
    func leaving() async throws {
        let (first, second, third) = (order.enter("a"), order.enter("a"), order.enter("a"))
        order.leave(second)
        order.leave(second)
        await order.wait(for: second)
        order.leave(first)
        await order.wait(for: third)
        order.leave(third)
        await order.wait(for: third)
        #expect(order.count == 0)
    }
}
