import Synchronization
import TestDoubles
import Testing

@testable import Console

@Suite("The places of the console's searches", .timeLimit(.minutes(10)))
struct SearchSlotsTests {
    private final class Counts: Sendable {
        private let values = Mutex((running: 0, most: 0, ended: 0))

        var most: Int { values.withLock(\.most) }
        var ended: Int { values.withLock(\.ended) }

        func begin() {
            values.withLock { values in
                values.running += 1
                values.most = max(values.most, values.running)
            }
        }

        func end() {
            values.withLock { values in
                values.running -= 1
                values.ended += 1
            }
        }
    }

    @Test("Two searches run at once, the others wait for their ends, and all of them run")
    func bound() async throws {
        let slots = SearchSlots()
        let gate = Gate()
        let counts = Counts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try await slots.run {
                        counts.begin()
                        await gate.pass()
                        counts.end()
                    }
                }
            }
            try await eventually("two run, and four wait") { gate.waiting == 2 && slots.waiting == 4 }
            gate.open()
            try await group.waitForAll()
        }
        #expect(counts.most == SearchSlots.maximum && counts.ended == 6)
    }

    @Test("A search that is cancelled while it waits does not run, and one that fails leaves its place")
    func ends() async throws {
        struct Failed: Error {}
        let slots = SearchSlots()
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<SearchSlots.maximum {
                group.addTask {
                    _ = await #expect(throws: Failed.self) {
                        try await slots.run {
                            await gate.pass()
                            throw Failed()
                        }
                    }
                }
            }
            try await eventually("both run") { gate.waiting == SearchSlots.maximum }
            await withTaskGroup(of: Void.self) { others in
                others.addTask {
                    _ = await #expect(throws: CancellationError.self) {
                        try await slots.run { Issue.record("a cancelled search must not run") }
                    }
                }
                others.cancelAll()
            }
            gate.open()
            try await group.waitForAll()
        }
        #expect(try await slots.run { true })
    }
}
