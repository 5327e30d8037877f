import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import Testing

@testable import FirestoreAPI

/// The limits of queries, in each method that has a query. The store's own tests have the limits themselves.
@Suite("Limits of queries in Firestore's interface")
struct QueryLimitTests {
    private typealias Proto = Google_Firestore_V1_StructuredQuery

    private static func filter(_ number: Int) -> Proto.Filter {
        .with {
            $0.fieldFilter.field.fieldPath = "f\(number)"
            $0.fieldFilter.op = .equal
            $0.fieldFilter.value.integerValue = 1
        }
    }

    /// Returns a query of the collection `c` with filters and orders.
    private static func query(filters: Int, orders: Int) -> Proto {
        .with {
            $0.from = [.with { $0.collectionID = "c" }]
            $0.where.compositeFilter.op = .and
            $0.where.compositeFilter.filters = (0..<filters).map(filter)
            $0.orderBy = (0..<orders).map { number in .with { $0.field.fieldPath = "f\(number)" } }
        }
    }

    private static let tooLarge = [query(filters: 1_100, orders: 0), query(filters: 0, orders: 1_100)]

    private func fixtureWithDocument() async throws -> QueryFixture {
        let fixture = try QueryFixture()
        try await fixture.set("a", Fields((0..<100).map { ("f\($0)", Value.integer(1)) }))
        return fixture
    }

    private func expectRefusal(
        _ location: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
    ) async {
        let failure = await status(of: call)
        #expect(failure?.code == .invalidArgument, sourceLocation: location)
        #expect(failure?.message.contains("at most 100") == true, sourceLocation: location)
    }

    @Test("RunQuery takes 100 filters and orders over documents, and refuses more, also explained")
    func runQuery() async throws {
        let fixture = try await fixtureWithDocument()
        for explained in [false, true] {
            let responses = try await fixture.run {
                $0.structuredQuery = Self.query(filters: 50, orders: 50)
                if explained { $0.explainOptions = .init() }
            }
            #expect(responses.last?.done == true)
            for query in Self.tooLarge {
                await expectRefusal {
                    _ = try await fixture.run {
                        $0.structuredQuery = query
                        if explained { $0.explainOptions = .init() }
                    }
                }
            }
        }
    }

    @Test("RunAggregationQuery, PartitionQuery and ListDocuments refuse queries over the limit")
    func others() async throws {
        let fixture = try await fixtureWithDocument()
        for query in Self.tooLarge {
            await expectRefusal {
                try await fixture.service.runAggregationQuery(
                    .with {
                        $0.parent = QueryFixture.root
                        $0.structuredAggregationQuery.structuredQuery = query
                        $0.structuredAggregationQuery.aggregations = [.with { $0.count = .init() }]
                    }, as: fixture.caller
                ) { _ in }
            }
            let partition = await status {
                _ = try await fixture.service.partitionQuery(
                    .with {
                        $0.parent = QueryFixture.root
                        $0.structuredQuery = query
                        $0.partitionCount = 2
                    }, as: fixture.caller)
            }
            #expect(partition?.code == .invalidArgument)
        }
        await expectRefusal {
            _ = try await fixture.service.listDocuments(
                .with {
                    ($0.parent, $0.collectionID) = (QueryFixture.root, "c")
                    $0.orderBy = (0..<1_100).map { "f\($0)" }.joined(separator: ",")
                }, as: fixture.caller)
        }
    }

    @Test("A target with a query over the limit ends with the error, and the stream goes on")
    func listen() throws {
        for query in Self.tooLarge {
            var state = ListenState(
                database: QueryFixture.database, tokens: ResumeTokens(for: QueryFixture.database, server: 1))
            state.add(
                .with {
                    $0.targetID = 1
                    $0.query.parent = QueryFixture.root
                    $0.query.structuredQuery = query
                })
            let responses = state.takeResponses()
            let cause = try #require(responses.last).targetChange.cause
            #expect(cause.code == Int32(FirestoreStatus.Code.invalidArgument.rawValue))
            #expect(state.staleTargets.isEmpty)
        }
    }
}
