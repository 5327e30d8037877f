import Testing

@testable import WebPush

@Suite("Queue of batches")
struct BatchQueueTests {
    @Test("Elements are taken once, in their order, in batches of a limited size")
    func batches() {
        var queue = BatchQueue<Int>(maximumTasks: 1, batchSize: 3)
        for element in 0..<5 { _ = queue.add(element) }
        let first = queue.take()
        _ = queue.add(5)
        let (second, third) = (queue.take(), queue.take())
        #expect(first == [0, 1, 2] && second == [3, 4, 5] && third == [])
    }

    @Test("One more task begins with an element until there are enough, and again after one has ended")
    func tasks() {
        var queue = BatchQueue<Int>(maximumTasks: 2, batchSize: 1)
        let begins = (0..<3).map { queue.add($0) }
        #expect(begins == [true, true, false])
        let taken = (0..<3).map { _ in queue.take() }
        #expect(taken == [[0], [1], [2]])
        // Both tasks are at work, and look for more.
        let beginsBeside = queue.add(3)
        let (next, none) = (queue.take(), queue.take())
        #expect(!beginsBeside && next == [3] && none == [])
        let beginsAgain = (queue.add(4), queue.add(5))
        #expect(beginsAgain == (true, false))
    }
}
