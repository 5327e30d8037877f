import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreAPI

@Suite("Reads of documents through Firestore's interface")
struct DocumentTests {
    let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    @Test("A missing document is NOT_FOUND with its name")
    func missing() async {
        let failure = await status { _ = try await fixture.document("a/b") }
        #expect(failure == FirestoreStatus(.notFound, "Document (\(ServiceFixture.name("a/b"))) not found."))
    }

    @Test("A document is created once, with a made id if it has none, and is returned with the mask's fields")
    func create() async throws {
        var request = Google_Firestore_V1_CreateDocumentRequest()
        (request.parent, request.collectionID, request.documentID) = (ServiceFixture.root, "a", "b")
        request.document.fields = ["x": .integer(1), "y": .integer(2)]
        request.mask.fieldPaths = ["y"]
        let created = try await fixture.service.createDocument(request, as: fixture.owner)
        #expect(created.fields == ["y": .integer(2)])
        #expect(try await fixture.document("a/b").fields == request.document.fields)
        let failure = await status { _ = try await fixture.service.createDocument(request, as: fixture.owner) }
        #expect(failure == FirestoreStatus(.alreadyExists, "Document already exists: \(ServiceFixture.name("a/b"))"))
        request.documentID = ""
        let made = try await fixture.service.createDocument(request, as: fixture.owner)
        #expect(made.name.split(separator: "/").last?.count == 20)
    }

    @Test("A document's whole name beside its parent and its id is refused, and nothing is created")
    func named() async throws {
        var request = Google_Firestore_V1_CreateDocumentRequest()
        (request.parent, request.collectionID, request.documentID) = (ServiceFixture.root, "a", "b")
        for name in ["a/b", "a/c"] {
            request.document.name = ServiceFixture.name(name)
            let failure = await status { [request] in
                _ = try await fixture.service.createDocument(request, as: fixture.owner)
            }
            #expect(failure?.code == .invalidArgument)
        }
        await #expect(throws: FirestoreStatus.self) { try await fixture.document("a/b") }
    }

    @Test("A batch has the found documents before the missing, each once, and a transaction's id before them alone")
    func batchGet() async throws {
        try await fixture.commit([ServiceFixture.set("a/2", ["x": .integer(1)])])
        let written = Written<Google_Firestore_V1_BatchGetDocumentsResponse>()
        var request = Google_Firestore_V1_BatchGetDocumentsRequest()
        request.database = "\(ServiceFixture.database)"
        request.documents = ["a/1", "a/2", "a/1"].map(ServiceFixture.name)
        request.newTransaction.readOnly = .init()
        try await fixture.service.batchGetDocuments(request, as: fixture.owner) { written.add($0) }
        let messages = written.messages
        try #require(messages.count == 3)
        #expect(!messages[0].transaction.isEmpty)
        #expect(messages[0].result == nil)
        #expect(messages[1].found.fields == ["x": .integer(1)])
        #expect(messages[1].hasReadTime)
        #expect(messages[2].missing == ServiceFixture.name("a/1"))
    }

    @Test("Pages of a list contain each document once, and the last page has no token")
    func list() async throws {
        let numbers: [Int64] = [3, 1, 2, 4]
        try await fixture.commit(numbers.map { ServiceFixture.set("a/\($0)", ["n": .integer(-$0)]) })
        #expect(try await pages(orderBy: "") == [["1", "2"], ["3", "4"]])
        #expect(try await pages(orderBy: "n desc") == [["1", "2"], ["3", "4"]])
        #expect(try await pages(orderBy: " n asc , __name__ desc") == [["4", "3"], ["2", "1"]])
    }

    @Test("A list with missing documents names those that have documents below them")
    func showMissing() async throws {
        try await fixture.commit([ServiceFixture.set("a/2"), ServiceFixture.set("a/1/b/c")])
        var request = listRequest
        request.showMissing = true
        let response = try await fixture.service.listDocuments(request, as: fixture.owner)
        #expect(response.documents.map(\.name) == ["a/1", "a/2"].map(ServiceFixture.name))
        #expect(response.documents.map(\.hasCreateTime) == [false, true])
    }

    @Test("A bad token, a negative size and an order that is no order are INVALID_ARGUMENT")
    func badLists() async {
        let changes: [(inout Google_Firestore_V1_ListDocumentsRequest) -> Void] = [
            { $0.pageToken = "x" }, { $0.pageSize = -1 }, { $0.orderBy = "n sideways" }, { $0.orderBy = "," },
        ]
        for change in changes {
            var request = listRequest
            change(&request)
            let failure = await status { [request] in
                _ = try await fixture.service.listDocuments(request, as: fixture.owner)
            }
            #expect(failure?.code == .invalidArgument)
        }
    }

    @Test("Pages of collections contain each id once, in the order of their bytes")
    func collections() async throws {
        try await fixture.commit(["b/x", "a/x", "c/x/d/y"].map { ServiceFixture.set($0) })
        var request = Google_Firestore_V1_ListCollectionIdsRequest()
        (request.parent, request.pageSize) = (ServiceFixture.root, 2)
        let first = try await fixture.service.listCollectionIDs(request, as: fixture.owner)
        #expect(first.collectionIds == ["a", "b"])
        request.pageToken = first.nextPageToken
        let last = try await fixture.service.listCollectionIDs(request, as: fixture.owner)
        #expect(last.collectionIds == ["c"])
        #expect(last.nextPageToken.isEmpty)
    }

    @Test("A page token continues only the list that gave it, in whichever size of pages")
    func foreignTokens() async throws {
        try await fixture.commit(["a/1", "a/2", "a/3", "b/1/a/4"].map { ServiceFixture.set($0, ["n": .integer(1)]) })
        var ordered = listRequest
        ordered.orderBy = "n"
        let first = try await fixture.service.listDocuments(listRequest, as: fixture.owner)
        let changes: [(inout Google_Firestore_V1_ListDocumentsRequest) -> Void] = [
            { $0.collectionID = "b" }, { $0.collectionID = "" }, { $0.parent = ServiceFixture.name("b/1") },
            { $0.showMissing = true }, { $0.orderBy = "__name__ desc" }, { $0.orderBy = "n" },
        ]
        for change in changes {
            var request = listRequest
            change(&request)
            request.pageToken = first.nextPageToken
            let failure = await status { [request] in
                _ = try await fixture.service.listDocuments(request, as: fixture.owner)
            }
            #expect(failure?.code == .invalidArgument)
            #expect(failure?.message.hasPrefix("Invalid page token.") == true)
        }
        ordered.pageToken = try await fixture.service.listDocuments(ordered, as: fixture.owner).nextPageToken
        (ordered.orderBy, ordered.pageSize) = (" n  asc, __name__", 1)
        let next = try await fixture.service.listDocuments(ordered, as: fixture.owner)
        #expect(next.documents.map(\.name) == [ServiceFixture.name("a/3")])
        let collections = await status {
            _ = try await fixture.service.listCollectionIDs(
                .with { ($0.parent, $0.pageToken) = (ServiceFixture.root, first.nextPageToken) }, as: fixture.owner)
        }
        #expect(collections?.code == .invalidArgument)
    }

    @Test("A redacted caller reads a document without its secrets")
    func redacted() async throws {
        try await fixture.commit([ServiceFixture.set("a/b", ["token": .text("secret"), "n": .integer(1)])])
        let request = Google_Firestore_V1_GetDocumentRequest.with { $0.name = ServiceFixture.name("a/b") }
        let document = try await fixture.service.getDocument(request, as: fixture.reader)
        #expect(document.fields == ["token": .text("…"), "n": .integer(1)])
        let failure = await status { _ = try await fixture.service.getDocument(request, as: fixture.stranger) }
        #expect(failure?.code == .permissionDenied)
    }

    private var listRequest: Google_Firestore_V1_ListDocumentsRequest {
        .with { ($0.parent, $0.collectionID, $0.pageSize) = (ServiceFixture.root, "a", 2) }
    }

    /// Returns the ids of the documents on each page of the list of a collection.
    private func pages(orderBy: String) async throws -> [[String]] {
        var request = listRequest
        request.orderBy = orderBy
        var pages: [[String]] = []
        repeat {
            let response = try await fixture.service.listDocuments(request, as: fixture.owner)
            pages.append(response.documents.map { $0.name.split(separator: "/").last.map(String.init) ?? "" })
            request.pageToken = response.nextPageToken
        } while !request.pageToken.isEmpty && pages.count < 10
        return pages
    }
}
