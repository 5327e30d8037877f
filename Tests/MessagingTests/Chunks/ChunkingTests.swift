import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Cutting a multicast into chunks")
struct ChunkingTests {
    private func chunks(_ targets: [Target]) -> [Chunk] {
        Chunking.chunks(of: targets, message: "m", dueAt: ManualClock.start)
    }

    private func targets(_ count: Int, topic: String? = nil, length: Int = 20) throws -> [Target] {
        try (0..<count).map { index in
            let number = String(index)
            let token = "t" + String(repeating: "0", count: length - 1 - number.count) + number
            return Target(
                address: PushAddress(token: token, app: AppIdentity(bundleID: topic)),
                registration: try DocumentPath("d/\(index)"))
        }
    }

    @Test(
        "A chunk has at most 500 targets, in their order",
        arguments: [
            (0, []), (1, [1]), (499, [499]), (500, [500]), (501, [500, 1]), (1_000, [500, 500]),
            (1_200, [500, 500, 200]),
        ])
    func bound(count: Int, sizes: [Int]) throws {
        let targets = try targets(count)
        let chunks = chunks(targets)
        #expect(chunks.map(\.entries.count) == sizes)
        #expect(chunks.map(\.id) == sizes.indices.map { ChunkID(message: "m", number: $0) })
        #expect(chunks.flatMap(\.entries).compactMap(\.target) == targets)
        #expect(chunks.allSatisfy { $0.dueAt == ManualClock.start && $0.attempts == 0 && !$0.isSettled })
    }

    @Test("A chunk contains one lane, and targets keep their order within it")
    func lanes() throws {
        let (a, b, c) = (try targets(600, topic: "a"), try targets(600, topic: "b"), try targets(3, topic: "c"))
        var mixed: [Target] = []
        for index in 0..<600 {
            mixed += [a[index], b[index]]
            if index < 3 { mixed.append(c[index]) }
        }
        let chunks = chunks(mixed)
        #expect(chunks.map(\.lane.app.bundleID) == ["a", "a", "b", "b", "c"])
        #expect(chunks.map(\.entries.count) == [500, 100, 500, 100, 3])
        #expect(chunks.map(\.id.number) == [0, 1, 2, 3, 4])
        #expect(chunks.flatMap(\.entries).compactMap(\.target) == a + b + c)
    }

    @Test("A chunk knows the collection of its registrations, whatever collection they were said to be in")
    func collection() throws {
        let targets = try targets(3)
        let other = Target(address: PushAddress(token: "other"), registration: try DocumentPath("e/1"))
        let without = Target(address: PushAddress(token: "none"), registration: nil)
        for likely in [nil, try CollectionPath("d"), try CollectionPath("e"), try CollectionPath("d/1/d")] {
            func collection(_ targets: [Target]) -> String? {
                Chunking.chunks(of: targets, below: likely, message: "m", dueAt: ManualClock.start).first?
                    .registrations?.description
            }
            #expect(collection(targets) == "d")
            #expect(collection([without] + targets) == "d")
            #expect(collection([other]) == "e")
            #expect(collection(targets + [other]) == nil)
            #expect(collection([without]) == nil)
        }
    }

    @Test("Long tokens lead to smaller chunks that the store accepts", arguments: [4_096, 2_000, 1_200])
    func bytes(length: Int) async throws {
        let targets = try targets(500, length: length)
        let chunks = chunks(targets)
        #expect(chunks.count > 1)
        #expect(chunks.flatMap(\.entries).compactMap(\.target) == targets)
        let bench = try Bench()
        let delivery = try await bench.outbox.accept(.sample(targets))
        #expect(try await bench.chunks(of: delivery.messageID).count == chunks.count)
    }

    @Test("A target larger than the byte limit has a chunk of its own")
    func oversized() throws {
        let chunks = chunks(try targets(3, length: Chunking.maximumBytes))
        #expect(chunks.map(\.entries.count) == [1, 1, 1])
    }
}
