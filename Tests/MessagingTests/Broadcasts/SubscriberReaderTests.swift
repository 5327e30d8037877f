import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Reading a condition's subscribers page by page")
struct SubscriberReaderTests {
    private let stage: TopicBench
    /// The devices in the order in which they are read.
    private let devices: [Registration]

    init() async throws {
        stage = try TopicBench()
        devices = try await stage.devices(11).sorted { $0.fid < $1.fid }
    }

    /// Returns all pages of three subscribers.
    private func pages(of condition: String) async throws -> [RecipientPage] {
        let reader = SubscriberReader(
            store: stage.bench.store, unreadable: UnreadableDocuments(logger: stage.bench.log.logger), size: 3)
        var pages: [RecipientPage] = []
        repeat {
            pages.append(try await reader.page(of: Condition(parsing: condition), after: pages.last?.last))
        } while pages.last?.last != nil && pages.count < 20
        return pages
    }

    /// Returns the places of the devices in each page.
    private func places(in pages: [RecipientPage]) -> [[Int]] {
        pages.map { page in
            page.targets.compactMap { target in devices.firstIndex { $0.address == target.address } }
        }
    }

    private func subscribe(_ places: [Int], to topic: String) async throws {
        try await stage.subscriptions.subscribe(places.map { devices[$0] }, to: topic)
    }

    /// Removes a registration and leaves its subscriptions.
    private func remove(_ place: Int) async throws {
        _ = try await stage.bench.disk.documents.commit([
            .delete(RegistrationDocuments.registration(devices[place].fid))
        ])
    }

    @Test("The subscribers of a topic are read in order to the end")
    func topic() async throws {
        try await subscribe([9, 0, 1, 4, 7, 8, 3], to: "a")
        #expect(places(in: try await pages(of: "'a' in topics")) == [[0, 1, 3], [4, 7, 8], [9]])
    }

    @Test("Unreadable registrations and subscriptions are skipped and not deleted")
    func unreadable() async throws {
        try await subscribe([0, 1, 2, 3, 4, 5], to: "a")
        let disk = stage.bench.disk
        try await disk.damage(RegistrationDocuments.registration(devices[1].fid))
        try await disk.damage(RegistrationDocuments.subscribers(of: "a").document(devices[2].fid))
        let pages = try await pages(of: "'a' in topics")
        #expect(places(in: pages) == [[0, 3], [4, 5]])
        let void = pages.flatMap(\.voidSubscriptions)
        #expect(void.isEmpty)
        #expect(stage.bench.log.lines.count { $0.contains("left an unreadable document out of a list") } == 1)
    }

    @Test("A full last page of subscribers is followed by an empty one, and no subscribers give one empty page")
    func edges() async throws {
        try await subscribe([0, 1, 2], to: "a")
        #expect(places(in: try await pages(of: "'a' in topics")) == [[0, 1, 2], []])
        #expect(places(in: try await pages(of: "'b' in topics")) == [[]])
    }

    @Test("A page over several topics ends where the shortest read of them ends")
    func lengths() async throws {
        try await subscribe([0, 1, 2, 3, 4, 5, 6], to: "a")
        try await subscribe([2, 10], to: "b")
        #expect(
            places(in: try await pages(of: "'a' in topics || 'b' in topics")) == [[0, 1, 2], [3, 4, 5], [6, 10]])
        #expect(places(in: try await pages(of: "'a' in topics && 'b' in topics")) == [[2], [], []])
        #expect(
            places(in: try await pages(of: "'a' in topics && !('b' in topics)")) == [[0, 1], [3, 4, 5], [6]])
    }

    @Test("A condition that holds without any topic is evaluated over all registrations")
    func negated() async throws {
        try await subscribe([0, 1, 2, 3, 4, 9], to: "a")
        #expect(
            places(in: try await pages(of: "!('a' in topics)")) == [[], [5], [6, 7, 8], [10]])
    }

    @Test("A void subscription at either side of a page's edge is found once")
    func void() async throws {
        try await subscribe([0, 1, 2, 3, 4], to: "a")
        try await subscribe([2, 3], to: "b")
        try await remove(2)
        try await remove(3)
        let pages = try await pages(of: "'a' in topics || 'b' in topics")
        #expect(places(in: pages) == [[0, 1], [4]])
        let ids = pages.map { $0.voidSubscriptions.map(\.path.id) }
        #expect(ids == [2, 3].map { [devices[$0].fid, devices[$0].fid] })
    }

    @Test("A subscription made with an earlier token counts as void")
    func renewed() async throws {
        try await subscribe([0, 1], to: "a")
        try await remove(1)
        let again = try await stage.directory.importTokens(
            [devices[1].address.token.value], of: .apns,
            for: AppIdentity(bundleID: "com.example.app", environment: "sandbox"))
        #expect(again[0] != devices[1].token)
        #expect(places(in: try await pages(of: "'a' in topics")) == [[0]])
        let others = try await pages(of: "!('a' in topics)")
        #expect(places(in: others).joined().sorted() == Array(1..<11))
        #expect(others.flatMap(\.voidSubscriptions).map(\.path.id) == [devices[1].fid])
    }
}
