import FirestoreProtos
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreAPI

@Suite("The size of pages of lists")
struct ListPageTests {
    let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    /// Returns the ids of all pages, in their order.
    private func pages(_ change: (inout Google_Firestore_V1_ListDocumentsRequest) -> Void) async throws -> [[String]] {
        var request = Google_Firestore_V1_ListDocumentsRequest()
        (request.parent, request.collectionID, request.pageSize) = (ServiceFixture.root, "a", 300)
        change(&request)
        var pages: [[String]] = []
        repeat {
            let response = try await fixture.service.listDocuments(request, as: fixture.owner)
            pages.append(response.documents.map { String($0.name.suffix(2)) })
            request.pageToken = response.nextPageToken
        } while !request.pageToken.isEmpty
        return pages
    }

    @Test("Large documents come in pages of a bounded size, each once, in every kind of list")
    func largeDocuments() async throws {
        let ids = (10..<30).map { "\($0)" }
        let text = String(repeating: "x", count: 1_000_000)
        for id in ids {
            try await fixture.commit([ServiceFixture.set("a/\(id)", ["x": .text(text), "n": .integer(1)])])
        }
        let (first, last) = (Array(ids.prefix(16)), Array(ids.dropFirst(16)))
        #expect(try await pages { _ in } == [first, last])
        #expect(try await pages { $0.showMissing = true } == [first, last])
        #expect(try await pages { $0.orderBy = "n" } == [first, last])
        #expect(try await pages { $0.mask.fieldPaths = ["n"] } == [ids])
        #expect(try await pages { $0.pageSize = 15 } == [Array(ids.prefix(15)), Array(ids.dropFirst(15))])
    }

    @Test("A document that fills a page alone has one, and a full last page has no token")
    func manyValues() async throws {
        let values = [Google_Firestore_V1_Value](repeating: .with { $0.booleanValue = true }, count: 300_000)
        let list = Google_Firestore_V1_Value.with { $0.arrayValue.values = values }
        try await fixture.commit(["a/10", "a/30"].map { ServiceFixture.set($0) })
        try await fixture.commit([ServiceFixture.set("a/20", ["list": list])])
        #expect(try await pages { _ in } == [["10"], ["20"], ["30"]])
        #expect(try await pages { $0.pageSize = 3 } == [["10"], ["20"], ["30"]])
        #expect(try await pages { $0.mask.fieldPaths = ["none"] } == [["10", "20", "30"]])
    }

    @Test("A list with more missing documents than are read at a time has all of them")
    func missing() async throws {
        let ids = (10..<80).map { "\($0)" }
        try await fixture.commit(ids.map { ServiceFixture.set("a/\($0)/b/c") })
        #expect(try await pages { $0.showMissing = true } == [ids])
        let both = try await pages { ($0.showMissing, $0.pageSize) = (true, 40) }
        #expect(both == [Array(ids.prefix(40)), Array(ids.dropFirst(40))])
    }
}
