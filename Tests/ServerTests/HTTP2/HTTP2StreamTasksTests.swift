import Synchronization
import Testing

@testable import Server

@Suite("Tasks of an HTTP/2 connection", .timeLimit(.minutes(10)))
struct HTTP2StreamTasksTests {
    private final class Count: Sendable {
        private let value = Atomic(0)

        func add() { value.wrappingAdd(1, ordering: .relaxed) }

        var current: Int { value.load(ordering: .relaxed) }
    }

    @Test("All requests are served, also those that began before the tasks and those of a connection that ends")
    func all() async {
        let (tasks, count) = (HTTP2StreamTasks(), Count())
        for _ in 0..<10 { tasks.run { count.add() } }
        await withDiscardingTaskGroup { group in
            group.addTask { await tasks.serve() }
            for _ in 0..<1_000 { tasks.run { count.add() } }
            tasks.finish()
        }
        #expect(count.current == 1_010)
    }

    @Test("A request that waits does not hold up the next one")
    func waiting() async {
        let (tasks, count) = (HTTP2StreamTasks(), Count())
        let (first, finishFirst) = AsyncStream.makeStream(of: Void.self)
        await withDiscardingTaskGroup { group in
            group.addTask { await tasks.serve() }
            tasks.run {
                for await _ in first {}
                count.add()
            }
            tasks.run {
                finishFirst.finish()
                count.add()
                tasks.finish()
            }
        }
        #expect(count.current == 2)
    }
}
