import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("The feed of deliveries")
struct DeliveryFeedTests {
    private func accept(_ count: Int, on bench: Bench) async throws -> [String] {
        var ids: [String] = []
        for number in 0..<count {
            bench.clock.advance(by: .milliseconds(1))
            ids.append(try await bench.outbox.accept(.sample(tokens: ["token-\(number)"])).messageID)
        }
        return ids
    }

    private func feed(_ bench: Bench, after id: String = "", limit: Int = 100) async throws -> [String] {
        try await DeliveryHistory(store: bench.store).feed(after: id, at: bench.clock.timestamp, limit: limit).map(\.id)
    }

    @Test("Each message is in the feed once, in the order of acceptance, page by page")
    func pages() async throws {
        let bench = try Bench()
        let ids = try await accept(120, on: bench)
        bench.clock.advance(by: .seconds(10))
        #expect(try await feed(bench) == Array(ids.prefix(100)))
        var (all, last) = ([String](), "")
        repeat {
            let page = try await feed(bench, after: last, limit: 7)
            all += page
            last = page.last ?? ""
        } while !last.isEmpty
        #expect(all == ids)
    }

    @Test("A message that may not be the last of its time is in the feed later, so none is missed")
    func lag() async throws {
        let bench = try Bench()
        let first = try await accept(1, on: bench)
        bench.clock.advance(by: .seconds(9))
        let second = try await accept(1, on: bench)
        #expect(try await feed(bench).isEmpty)
        bench.clock.advance(by: .seconds(1))
        #expect(try await feed(bench) == first)
        bench.clock.advance(by: .seconds(9))
        #expect(try await feed(bench, after: first[0]) == second)
    }

    @Test("The feed goes on after a message that was deleted")
    func deleted() async throws {
        let bench = try Bench()
        let ids = try await accept(3, on: bench)
        _ = try await bench.disk.documents.commit([.delete(DocumentPath("messages/\(ids[1])"))])
        bench.clock.advance(by: .seconds(10))
        #expect(try await feed(bench, after: ids[1]) == [ids[2]])
    }

    @Test("Messages from before a clock was set back are in the feed, and those after them follow")
    func clockSetBack() async throws {
        let bench = try Bench()
        let before = try await accept(2, on: bench)
        bench.clock.advance(by: .seconds(-3_600))
        let after = try await accept(2, on: bench)
        bench.clock.advance(by: .seconds(10))
        #expect(try await feed(bench) == before + after)
    }

    @Test("A message that cannot be read does not end the feed")
    func damaged() async throws {
        let bench = try Bench()
        let ids = try await accept(3, on: bench)
        _ = try await bench.disk.documents.commit([
            .merge(DocumentPath("messages/\(ids[1])"), ["message": .string("{")])
        ])
        bench.clock.advance(by: .seconds(10))
        #expect(try await feed(bench) == [ids[0], ids[2]])
    }
}
