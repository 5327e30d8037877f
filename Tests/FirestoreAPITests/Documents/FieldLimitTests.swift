import FirestoreProtos
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreAPI

@Suite("The number of fields in masks and projections")
struct FieldLimitTests {
    private static let most = 40_000

    let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    private static func names(_ count: Int) -> [String] { (0..<count).map { "f\($0)" } }

    private static func write(_ names: [String]) -> Google_Firestore_V1_Write {
        .with {
            $0.update.name = ServiceFixture.name("a/masked")
            $0.update.fields = ["f1": .integer(1)]
            $0.updateMask.fieldPaths = names
        }
    }

    /// Calls each method that takes a list of fields.
    ///
    /// - Returns: the codes of the calls, by the names of their methods.
    private func codes(_ names: [String]) async -> [String: FirestoreStatus.Code] {
        let (service, owner) = (fixture.service, fixture.owner)
        let mask = Google_Firestore_V1_DocumentMask.with { $0.fieldPaths = names }
        let query = Google_Firestore_V1_RunQueryRequest.with {
            $0.parent = ServiceFixture.root
            $0.structuredQuery.from = [.with { $0.collectionID = "a" }]
            $0.structuredQuery.select.fields = names.map { name in .with { $0.fieldPath = name } }
        }
        let list = Google_Firestore_V1_ListDocumentsRequest.with {
            ($0.parent, $0.collectionID, $0.mask) = (ServiceFixture.root, "a", mask)
        }
        let get = Google_Firestore_V1_GetDocumentRequest.with {
            ($0.name, $0.mask) = (ServiceFixture.name("a/b"), mask)
        }
        let batch = Google_Firestore_V1_BatchGetDocumentsRequest.with {
            ($0.database, $0.documents) = ("\(ServiceFixture.database)", [get.name])
            $0.mask = mask
        }
        let calls: [String: () async throws -> Void] = [
            "RunQuery": { try await service.runQuery(query, as: owner) { _ in } },
            "ListDocuments": { _ = try await service.listDocuments(list, as: owner) },
            "GetDocument": { _ = try await service.getDocument(get, as: owner) },
            "BatchGetDocuments": { try await service.batchGetDocuments(batch, as: owner) { _ in } },
            "Commit": { try await fixture.commit([Self.write(names)]) },
        ]
        var codes: [String: FirestoreStatus.Code] = [:]
        for (name, call) in calls { codes[name] = await status(of: call)?.code ?? .ok }
        return codes
    }

    @Test("A list of more fields than a document can have is refused everywhere, and nothing of its commit is applied")
    func limit() async throws {
        try await expectLimit(taken: Self.names(Self.most), refused: Self.names(Self.most + 1))
    }

    @Test("Fields whose paths have more names together than two for each field are refused everywhere")
    func manyNames() async throws {
        let paths = (0..<19_999).map { "m.n.o.f\($0)" }
        try await expectLimit(
            taken: paths + ["f1", "f2", "f3", "f4"], refused: paths + ["f1", "f2", "f3", "f4", "f5"])
    }

    private func expectLimit(taken few: [String], refused many: [String]) async throws {
        try await fixture.commit([ServiceFixture.set("a/b")])
        let refused = await codes(many)
        #expect(refused.count == 5)
        #expect(refused.allSatisfy { $0.value == .invalidArgument }, "\(refused)")
        let read = await status { _ = try await fixture.document("a/masked") }
        #expect(read?.code == .notFound)
        let taken = await codes(few)
        #expect(taken.allSatisfy { $0.value == .ok }, "\(taken)")
    }
}
