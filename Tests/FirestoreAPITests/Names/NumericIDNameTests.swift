import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import TestDoubles
import Testing
import Texts

@testable import FirestoreAPI

@Suite("Numeric ids in names")
struct NumericIDNameTests {
    private static let ids = ["__id-2__", "__id7__", "__id12__", "12", "7", "A"]
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    @Test("Pages of documents have numeric ids first, missing documents included", arguments: [false, true])
    func pages(showsMissing: Bool) async throws {
        let rest = showsMissing ? "/d/x" : ""
        try await fixture.commit(Self.ids.reversed().map { ServiceFixture.set("c/\($0)\(rest)") })
        for size in Int32(1)...7 {
            var request = Google_Firestore_V1_ListDocumentsRequest()
            request.parent = ServiceFixture.root
            request.collectionID = "c"
            request.pageSize = size
            request.showMissing = showsMissing
            var names: [String] = []
            repeat {
                let response = try await fixture.service.listDocuments(request, as: fixture.owner)
                names += response.documents.map(\.name)
                request.pageToken = response.nextPageToken
            } while !request.pageToken.isEmpty
            #expect(names == Self.ids.map { ServiceFixture.name("c/\($0)") })
        }
    }

    @Test(
        "A number that is 0, too large or not in its one form, and a collection with a numeric id, are INVALID_ARGUMENT",
        arguments: [
            "c/__id0__", "c/__id-0__", "c/__id07__", "c/__id+7__", "c/__id9223372036854775808__",
            "c/__id-9223372036854775809__", "__id7__/d", "c/__id7__/__id7__/d",
        ])
    func refusals(path: String) async throws {
        let written = await status { try await fixture.commit([ServiceFixture.set(path)]) }
        #expect(written?.code == .invalidArgument)
        let read = await status { _ = try await fixture.document(path) }
        #expect(read?.code == .invalidArgument)
        let reference = Google_Firestore_V1_Value.with { $0.referenceValue = ServiceFixture.name(path) }
        let referred = await status { try await fixture.commit([ServiceFixture.set("c/d", ["ref": reference])]) }
        #expect(referred?.code == .invalidArgument)
        #expect(try await fixture.store.engine.databases().isEmpty)
    }

    @Test("Numbers of 64 bits are ids")
    func limits() async throws {
        for id in ["__id-9223372036854775808__", "__id9223372036854775807__", "__id1__"] {
            try await fixture.commit([ServiceFixture.set("c/\(id)")])
            #expect(try await fixture.document("c/\(id)").name == ServiceFixture.name("c/\(id)"))
        }
    }
}
