import Signals
import Synchronization
import TestDoubles
import Testing

@Suite("Signals", .timeLimit(.minutes(10)))
struct SignalTests {
    private let signal = Signal()
    private let number = Number()
    private let clock = ManualClock()

    @Test("A wait for a condition that holds already ends at once")
    func holdsAlready() async {
        await signal.wait {
            true
        } onWaiting: { _ in
            Issue.record("the task waits")
        }
        await signal.waitEvenIfCancelled { true }
        await signal.wait(atMost: .seconds(10), clock: clock) { true }
        #expect(signal.waiterCount == 0)
        #expect(clock.pendingSleeps.isEmpty)
    }

    @Test("Of 200 notifications, only the one after which the condition holds wakes the task")
    func wokenOnce() async throws {
        async let waiting: Void = signal.wait { number.value >= 200 }
        try await eventually("the task waits") { signal.waiterCount == 1 }
        for value in 1..<200 {
            number.set(value)
            signal.notify()
            #expect(signal.waiterCount == 1)
        }
        number.set(200)
        signal.notify()
        #expect(signal.waiterCount == 0)
        await waiting
    }

    @Test("A notification wakes the tasks whose condition holds, and no other")
    func woken() async {
        await withTaskGroup(of: Int.self) { group in
            for limit in 1...5 {
                group.addTask { [signal, number] in
                    await signal.wait { number.value >= limit }
                    return limit
                }
            }
            let all = await eventually { signal.waiterCount == 5 }
            #expect(all)
            number.set(3)
            signal.notify()
            #expect(signal.waiterCount == 2)
            var woken: Set<Int> = []
            for _ in 0..<3 { if let limit = await group.next() { woken.insert(limit) } }
            #expect(woken == [1, 2, 3])
            group.cancelAll()
        }
        #expect(signal.waiterCount == 0)
    }

    // MARK: Other ends

    @Test("A task that is cancelled before its wait does not wait")
    func cancelledBefore() async {
        let task = Task { [signal] in
            while !Task.isCancelled { await Task.yield() }
            await signal.wait {
                false
            } onWaiting: { _ in
                Issue.record("the task waits")
            }
            await signal.wait(atMost: .seconds(10), clock: .continuous) { false }
        }
        task.cancel()
        await task.value
        #expect(signal.waiterCount == 0)
    }

    @Test("A cancellation ends the wait of its own task, and no other")
    func cancelled() async throws {
        let first = Task { [signal] in await signal.wait { false } }
        let second = Task { [signal, number] in await signal.wait { number.value > 0 } }
        try await eventually("both wait") { signal.waiterCount == 2 }
        first.cancel()
        await first.value
        #expect(signal.waiterCount == 1)
        number.set(1)
        signal.notify()
        await second.value
    }

    @Test("A task that begins to wait after the first one has ended is woken with those in between")
    func successor() async throws {
        let first = Task { [signal] in await signal.wait { false } }
        try await eventually("the first waits") { signal.waiterCount == 1 }
        let second = Task { [signal, number] in await signal.wait { number.value > 0 } }
        try await eventually("two wait") { signal.waiterCount == 2 }
        first.cancel()
        await first.value
        #expect(signal.waiterCount == 1)
        let third = Task { [signal, number] in await signal.wait { number.value > 0 } }
        try await eventually("the second and the third wait") { signal.waiterCount == 2 }
        number.set(1)
        signal.notify()
        #expect(signal.waiterCount == 0)
        await second.value
        await third.value
    }

    @Test("A wait that cancellation does not end continues until its condition holds")
    func cancelledInVain() async throws {
        let task = Task { [signal, number] in
            while !Task.isCancelled { await Task.yield() }
            await signal.waitEvenIfCancelled { number.value > 0 }
            return number.value
        }
        task.cancel()
        try await eventually("the task waits") { signal.waiterCount == 1 }
        signal.notify()
        #expect(signal.waiterCount == 1)
        number.set(1)
        signal.notify()
        #expect(await task.value == 1)
    }

    @Test("A wait ends at its time limit, or before that when its condition holds")
    func timeLimit() async throws {
        async let first: Void = signal.wait(atMost: .seconds(5), clock: clock) { false }
        try await eventually("the task waits") { signal.waiterCount == 1 && clock.pendingSleeps == [.seconds(5)] }
        clock.advance(by: .seconds(5))
        await first
        #expect(signal.waiterCount == 0)

        async let second: Void = signal.wait(atMost: .seconds(5), clock: clock) { number.value > 0 }
        try await eventually("the task waits") { signal.waiterCount == 1 && clock.pendingSleeps == [.seconds(5)] }
        number.set(1)
        signal.notify()
        await second
        #expect(clock.pendingSleeps.isEmpty)
    }

    @Test("A wait without time ends at once")
    func noTime() async {
        await signal.wait(atMost: .zero, clock: clock) { false }
        #expect(clock.pendingSleeps.isEmpty)
    }

    @Test("A handle ends its wait, once")
    func handle() async {
        await signal.wait {
            false
        } onWaiting: { wait in
            #expect(signal.waiterCount == 1)
            wait.end()
            #expect(signal.waiterCount == 0)
            wait.end()
        }
    }

    @Test("Among many waits, notifications and cancellations, no wake-up is lost and none comes twice")
    func concurrency() async {
        await withTaskGroup(of: Void.self) { group in
            for limit in 1...1_000 {
                group.addTask { [signal, number] in
                    let task = Task { await signal.wait { number.value >= limit } }
                    if limit.isMultiple(of: 3) { task.cancel() }
                    await task.value
                }
            }
            for _ in 0..<10 {
                group.addTask { [signal, number] in
                    for _ in 0..<100 {
                        number.increase()
                        signal.notify()
                        await Task.yield()
                    }
                }
            }
        }
        #expect(number.value == 1_000)
        #expect(signal.waiterCount == 0)
    }
}

/// A number that tasks change and wait for.
final class Number: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }

    func set(_ value: Int) { state.withLock { $0 = value } }

    func increase() { state.withLock { $0 += 1 } }
}
