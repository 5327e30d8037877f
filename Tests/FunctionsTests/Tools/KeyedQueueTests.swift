import Synchronization
import TestDoubles
import Testing

@testable import Functions

@Suite("Keyed queues", .timeLimit(.minutes(10)))
struct KeyedQueueTests {
    private let queue = KeyedQueue()

    @Test("Work for one key runs in the order of its arrival, one at a time and even if cancelled")
    func order() async throws {
        let gate = Gate()
        let done = Numbers()
        var tasks: [Task<Void, Never>] = []
        for number in 0..<5 {
            let task = Task { [queue] in
                await queue.run("key") {
                    await gate.pass()
                    done.append(number)
                }
            }
            tasks.append(task)
            try await eventually("the work has arrived") {
                gate.waiting == 1 && queue.waiterCount(of: "key") == number
            }
        }
        tasks[2].cancel()
        gate.open()
        for task in tasks { await task.value }
        #expect(done.all == [0, 1, 2, 3, 4])
        #expect(queue.waiterCount(of: "key") == 0)
    }

    @Test("Work for another key does not wait")
    func otherKey() async throws {
        let gate = Gate()
        async let held: Void = queue.run("key") { await gate.pass() }
        try await eventually("the work runs") { gate.waiting == 1 }
        let result = await queue.run("other") { "done" }
        #expect(result == "done")
        gate.open()
        await held
    }
}

/// The numbers of the work that has ended, in order.
private final class Numbers: Sendable {
    private let state = Mutex<[Int]>([])

    var all: [Int] { state.withLock { $0 } }

    func append(_ number: Int) { state.withLock { $0.append(number) } }
}
