import DocumentStore
import Functions
import Synchronization
import TestDoubles
import Testing

@Suite("Search for the devices of coding agents", .timeLimit(.minutes(10)))
struct DeviceSearchTests {
    private let files: TemporaryStore
    private let store: ObservedStore

    init() throws {
        files = try TemporaryStore(clock: ManualClock())
        store = ObservedStore(files.documents)
    }

    private func write(_ paths: [String]) async throws {
        _ = try await store.commit(try paths.map { .set(try DocumentPath($0), ["a": .integer(1)]) })
    }

    /// Returns the devices of all pages, the number of pages, and the greatest number of queries of a page.
    private func search(limit: Int) async throws -> (devices: [String], pages: Int, queries: Int) {
        let queries = Mutex(0)
        store.set { hooks in
            hooks.beforeQuery = { query throws(StoreError) in
                guard case .collection = query.scope, query.limit.map({ $0 <= limit }) == true else {
                    throw StoreError(.internal, "a query without a bound")
                }
                queries.withLock { $0 += 1 }
            }
        }
        var (devices, pages, most, place) = ([String](), 0, 0, DocumentPath?.none)
        repeat {
            queries.withLock { $0 = 0 }
            let page = try await DeviceSearch(store: store).page(after: place, limit: limit)
            #expect(page.devices.count <= limit)
            devices += page.devices.map(\.path.description)
            (pages, most, place) = (pages + 1, max(most, queries.withLock(\.self)), page.next)
        } while place != nil
        return (devices, pages, most)
    }

    @Test(
        "Pages have all devices once, in the order of their paths, without devices of others",
        arguments: [1, 3, 7, 50])
    func pages(limit: Int) async throws {
        var expected: [String] = []
        for server in 0..<5 {
            try await write(["servers/s\(server)"])
            for agent in 0..<server {
                let path = "servers/s\(server)/agents/a\(agent)"
                let devices = (0..<(agent * 2)).map { "\(path)/devices/d\($0)" }
                try await write([path] + devices + ["rooms/r/devices/x\(server)\(agent)"])
                expected += devices
            }
        }
        let found = try await search(limit: limit)
        #expect(found.devices == expected.sorted() && expected.count == 20)
        #expect(found.pages <= expected.count / limit + 2)
    }

    @Test("Devices are found below an agent or a server whose document was removed")
    func missing() async throws {
        try await write(["servers/a/agents/b/devices/c", "servers/d", "servers/d/agents/e/devices/f"])
        #expect(try await search(limit: 5).devices == ["servers/a/agents/b/devices/c", "servers/d/agents/e/devices/f"])
    }

    @Test("A page ends after a bounded number of servers, even if no device is found")
    func bound() async throws {
        for start in stride(from: 1_000, to: 1_500, by: 100) {
            try await write((start..<start + 100).map { "servers/s\($0)" })
        }
        try await write(["servers/s1499/agents/a", "servers/s1499/agents/a/devices/d"])
        let found = try await search(limit: 50)
        #expect(found.devices == ["servers/s1499/agents/a/devices/d"])
        #expect(found.pages == 3)
        // Each agent's devices are one query, in each page.
        try await write((0..<500).map { "servers/s1000/agents/a\($0)" })
        let many = try await search(limit: 50)
        #expect(many.devices == found.devices && many.queries == 200 && many.pages > 3)
    }

    @Test("A page goes on after a place whose document was removed, and refuses a place elsewhere")
    func places() async throws {
        try await write(["servers/a", "servers/c", "servers/c/agents/a", "servers/c/agents/a/devices/d"])
        let search = DeviceSearch(store: store)
        for path in ["rooms/a", "servers/a/rooms/b", "rooms/a/agents/b/devices/c", "servers/a/rooms/b/devices/c"] {
            let error = await #expect(throws: StoreError.self) {
                try await search.page(after: DocumentPath(path), limit: 5)
            }
            #expect(error?.code == .invalidArgument, "\(path)")
        }
        for path in ["servers/b", "servers/c/agents/0", "servers/c/agents/a/devices/0"] {
            let page = try await search.page(after: DocumentPath(path), limit: 5)
            #expect(page.devices.map(\.path.id) == ["d"] && page.next == nil, "\(path)")
        }
    }
}
