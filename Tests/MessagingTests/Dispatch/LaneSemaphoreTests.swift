import Synchronization
import Testing

@testable import Messaging

@Suite("The slots of a lane")
struct LaneSemaphoreTests {
    /// The senders that have got a slot after a wait, in their order.
    private final class Begun: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func note(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test("A released slot passes to the sender that has waited longest, before the release ends")
    func inOrder() {
        let (semaphore, begun) = (LaneSemaphore(window: 1), Begun())
        let isFree = semaphore.acquire {}
        #expect(isFree)
        for name in ["a", "b", "c"] {
            let isFree = semaphore.acquire { begun.note(name) }
            #expect(!isFree)
        }
        for count in 1...3 {
            semaphore.release()
            #expect(begun.all == Array(["a", "b", "c"].prefix(count)))
        }
        semaphore.release()
        let isFreeAgain = semaphore.acquire {}
        #expect(isFreeAgain)
    }

    @Test("A sender that needs another slot waits behind those that waited before it")
    func behindOthers() {
        let (semaphore, begun) = (LaneSemaphore(window: 1), Begun())
        _ = semaphore.acquire {}
        _ = semaphore.acquire {
            begun.note("a1")
            _ = semaphore.acquire { begun.note("a2") }
        }
        _ = semaphore.acquire { begun.note("b1") }
        for _ in 0..<3 { semaphore.release() }
        #expect(begun.all == ["a1", "b1", "a2"])
    }

    @Test("Any number of senders that release their slots at once follow each other")
    func releasedAtOnce() {
        let (semaphore, begun) = (LaneSemaphore(window: 2), Begun())
        for _ in 0..<2 { _ = semaphore.acquire {} }
        for _ in 0..<100_000 {
            _ = semaphore.acquire {
                begun.note("a")
                semaphore.release()
            }
        }
        semaphore.release()
        #expect(begun.all.count == 100_000)
    }
}
