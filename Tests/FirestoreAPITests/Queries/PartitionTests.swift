import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import Testing

@testable import FirestoreAPI

@Suite("PartitionQuery")
struct PartitionTests {
    @Test("Parts have at least 128 documents, and pages go on after the last position")
    func pages() async throws {
        let fixture = try QueryFixture()
        var writes: [Write] = []
        for number in 1000..<1400 { writes.append(.set(try DocumentPath("c/\(number)"), [:])) }
        _ = try await fixture.store.commit(writes)
        var request = Google_Firestore_V1_PartitionQueryRequest()
        request.parent = QueryFixture.root
        request.structuredQuery.from = [
            .with {
                $0.collectionID = "c"
                $0.allDescendants = true
            }
        ]
        request.partitionCount = 100
        request.pageSize = 1
        let first = try await fixture.service.partitionQuery(request, as: fixture.caller)
        request.pageToken = first.nextPageToken
        let second = try await fixture.service.partitionQuery(request, as: fixture.caller)
        let names = (first.partitions + second.partitions).flatMap(\.values).map(\.referenceValue)
        #expect(names == ["\(QueryFixture.root)/c/1133", "\(QueryFixture.root)/c/1266"])
        #expect(second.nextPageToken.isEmpty)
        request.structuredQuery.from[0].collectionID = "d"
        let failure = await status { [request] in
            _ = try await fixture.service.partitionQuery(request, as: fixture.caller)
        }
        #expect(failure?.code == .invalidArgument)
    }

    @Test("Among numeric ids, positions are in the order of the numbers")
    func numericIDs() async throws {
        let fixture = try QueryFixture()
        _ = try await fixture.store.commit(try (1...400).map { Write.set(try DocumentPath("c/__id\($0)__"), [:]) })
        var request = Google_Firestore_V1_PartitionQueryRequest()
        request.parent = QueryFixture.root
        request.structuredQuery.from = [
            .with {
                $0.collectionID = "c"
                $0.allDescendants = true
            }
        ]
        request.partitionCount = 100
        let response = try await fixture.service.partitionQuery(request, as: fixture.caller)
        let names = response.partitions.flatMap(\.values).map(\.referenceValue)
        #expect(names == ["__id134__", "__id267__"].map { "\(QueryFixture.root)/c/\($0)" })
    }
}
