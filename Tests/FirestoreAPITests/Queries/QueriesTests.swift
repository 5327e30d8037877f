import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreAPI

@Suite("RunQuery")
struct QueriesTests {
    @Test("A query sends a message for each document, and only the last one is done")
    func messages() async throws {
        let fixture = try QueryFixture()
        for id in ["a", "b", "d"] { try await fixture.set(id, ["n": .integer(1)]) }
        let responses = try await fixture.run()
        #expect(responses.map(\.document.name) == ["a", "b", "d"].map { "\(QueryFixture.root)/c/\($0)" })
        #expect(responses.map(\.done) == [false, false, true])
        #expect(responses.allSatisfy { $0.hasReadTime })
    }

    @Test("A query without results sends one message with the read time")
    func noResults() async throws {
        let responses = try await QueryFixture().run()
        let only = try #require(responses.first)
        #expect(responses.count == 1)
        #expect(only.done && only.hasReadTime && !only.hasDocument)
    }

    @Test("The first result tells the number of skipped documents")
    func offset() async throws {
        let fixture = try QueryFixture()
        for id in ["a", "b", "d"] { try await fixture.set(id, [:]) }
        let responses = try await fixture.run { $0.structuredQuery.offset = 1 }
        #expect(responses.map(\.skippedResults) == [1, 0])
    }

    @Test("The id of a new transaction is alone in the first message")
    func newTransaction() async throws {
        let responses = try await QueryFixture().run { $0.newTransaction = .init() }
        #expect(responses.count == 2)
        #expect(responses.first?.transaction.isEmpty == false)
        #expect(responses.first?.hasReadTime == false)
        #expect(responses.last?.done == true)
    }

    @Test("An explained query names its index and sends no documents")
    func explained() async throws {
        let fixture = try QueryFixture()
        try await fixture.set("a", ["a": .integer(1)])
        let responses = try await fixture.run { request in
            request.explainOptions = .init()
            request.structuredQuery.where = .with {
                $0.fieldFilter = .with {
                    $0.field.fieldPath = "a"
                    $0.op = .equal
                    $0.value.integerValue = 1
                }
            }
        }
        let metrics = try #require(responses.last?.explainMetrics)
        #expect(responses.count == 1)
        #expect(responses.first?.hasDocument == false)
        #expect(responses.first?.hasReadTime == false)
        #expect(metrics.planSummary.indexesUsed.first?.fields["properties"]?.stringValue == "(a ASC, __name__ ASC)")
        #expect(!metrics.hasExecutionStats)
    }

    @Test("An analyzed query has a read time, and one without results has read 1", arguments: [0, 1, 3])
    func analyzed(count: Int) async throws {
        let fixture = try QueryFixture()
        for id in 0..<count { try await fixture.set("\(id)", [:]) }
        let responses = try await fixture.run { $0.explainOptions.analyze = true }
        let statistics = try #require(responses.last?.explainMetrics).executionStats
        #expect(responses.last?.hasReadTime == true)
        #expect(statistics.resultsReturned == Int64(count))
        #expect(statistics.readOperations == Int64(max(1, count)))
    }

    @Test("An explained aggregation has a read time only if it was run", arguments: [false, true])
    func explainedAggregation(isRun: Bool) async throws {
        let fixture = try QueryFixture()
        let responses = Received<Google_Firestore_V1_RunAggregationQueryResponse>()
        let request = Google_Firestore_V1_RunAggregationQueryRequest.with {
            $0.parent = QueryFixture.root
            $0.structuredAggregationQuery.structuredQuery.from = [.with { $0.collectionID = "c" }]
            $0.structuredAggregationQuery.aggregations = [.with { $0.count = .init() }]
            $0.explainOptions.analyze = isRun
        }
        try await fixture.service.runAggregationQuery(request, as: fixture.caller) { responses.add($0) }
        let only = try #require(responses.all.first)
        #expect(only.hasReadTime == isRun)
        #expect(only.hasResult == isRun)
        #expect(only.explainMetrics.executionStats.readOperations == (isRun ? 1 : 0))
    }

    @Test("Two selectors of collections are refused")
    func twoSelectors() async throws {
        let fixture = try QueryFixture()
        await #expect(throws: FirestoreStatus.self) {
            try await fixture.run { $0.structuredQuery.from += [.with { $0.collectionID = "d" }] }
        }
    }
}

@Suite("Vector search")
struct VectorSearchTests {
    @Test("The nearest vectors come first, with their distances, and other dimensions are left out")
    func nearest() async throws {
        let fixture = try QueryFixture()
        try await fixture.set("a", ["v": .vector([3, 4])])
        try await fixture.set("b", ["v": .vector([0, 1])])
        try await fixture.set("d", ["v": .vector([0, 0, 0])])
        try await fixture.set("e", ["v": .array([.double(0), .double(0)])])
        let responses = try await fixture.run { request in
            request.structuredQuery.findNearest = .with {
                $0.vectorField.fieldPath = "v"
                $0.queryVector = Google_Firestore_V1_Value(.vector([0, 0]))
                $0.distanceMeasure = .euclidean
                $0.limit = .init(10)
                $0.distanceResultField = "far"
            }
        }
        #expect(responses.map { $0.document.fields["far"]?.doubleValue } == [1, 5])
    }

    @Test("At equal distances the query's order decides")
    func equalDistances() async throws {
        let fixture = try QueryFixture()
        for (id, rank) in [("a", 3), ("b", 1), ("d", 2)] as [(String, Int64)] {
            try await fixture.set(id, ["v": .vector([1, 1]), "rank": .integer(rank)])
        }
        let responses = try await fixture.run { request in
            request.structuredQuery.orderBy = [.with { $0.field.fieldPath = "rank" }]
            request.structuredQuery.findNearest = .with {
                $0.vectorField.fieldPath = "v"
                $0.queryVector = Google_Firestore_V1_Value(.vector([0, 0]))
                $0.distanceMeasure = .euclidean
                $0.limit = .init(2)
            }
        }
        #expect(responses.map(\.document.name) == ["b", "d"].map { "\(QueryFixture.root)/c/\($0)" })
    }
}

@Suite("Numeric ids in queries")
struct NumericIDQueryTests {
    private static let least = "\(QueryFixture.root)/c/__id-9223372036854775808__"

    @Test("A range from the least numeric id has all documents of a collection, as for clients that delete recursively")
    func range() async throws {
        let fixture = try QueryFixture()
        for id in ["__id-2__", "__id12__", "__id7__", "\u{1}", "a", "é"] { try await fixture.set(id, [:]) }
        let responses = try await fixture.run { request in
            request.structuredQuery.where = .with {
                $0.fieldFilter = .with {
                    $0.field.fieldPath = "__name__"
                    $0.op = .greaterThanOrEqual
                    $0.value.referenceValue = Self.least
                }
            }
        }
        let ids = ["__id-2__", "__id7__", "__id12__", "\u{1}", "a", "é"]
        #expect(responses.map(\.document.name) == ids.map { "\(QueryFixture.root)/c/\($0)" })
        let later = try await fixture.run { request in
            request.structuredQuery.orderBy = [.with { $0.field.fieldPath = "__name__" }]
            request.structuredQuery.startAt = .with {
                $0.values = [.with { $0.referenceValue = Self.least }]
                $0.before = true
            }
        }
        #expect(later.map(\.document.name) == responses.map(\.document.name))
    }
}

@Suite("Aggregations")
struct AggregationsTests {
    @Test("A projection goes with counts, and with no other aggregation")
    func projection() async throws {
        let fixture = try QueryFixture()
        try await fixture.set("a", ["n": .integer(1)])
        #expect(try await fixture.aggregate { $0.count = .init() }.integerValue == 1)
        await #expect(
            throws: FirestoreStatus(
                .invalidArgument, "Cannot apply property masks when aggregation fields are present.")
        ) { try await fixture.aggregate { $0.sum.field.fieldPath = "n" } }
    }

    @Test("Results without an alias are numbered among themselves")
    func aliases() throws {
        let count = Google_Firestore_V1_StructuredAggregationQuery.Aggregation.with { $0.count = .init() }
        var named = count
        named.alias = "n"
        #expect(try StructuredAggregation([named, count, count]).aliases == ["n", "field_1", "field_2"])
        #expect(throws: FirestoreStatus(.invalidArgument, "Aggregation aliases contain duplicate alias: n.")) {
            try StructuredAggregation([named, named])
        }
    }

    @Test("An alias between two underscores is refused, and others are taken as they are")
    func reservedAliases() throws {
        var named = Google_Firestore_V1_StructuredAggregationQuery.Aggregation.with { $0.count = .init() }
        for alias in ["__x__", "____", "__é__"] {
            named.alias = alias
            #expect(throws: FirestoreStatus(.invalidArgument, "field name \(alias) is reserved")) {
                try StructuredAggregation([named])
            }
        }
        for alias in ["__x", "x__", "_x_", "a.b", "é"] {
            named.alias = alias
            #expect(try StructuredAggregation([named]).aliases == [alias])
        }
    }
}
