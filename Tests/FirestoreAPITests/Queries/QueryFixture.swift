import DocumentStore
import FirestoreProtos
import Foundation
import Logging
import SwiftProtobuf
import Synchronization
import Texts

@testable import FirestoreAPI

/// A service over an engine in a temporary directory, and the messages that it sent.
final class QueryFixture: Sendable {
    static let database = DatabaseID(project: "p")
    static let root = "projects/p/databases/(default)/documents"
    static let server: UInt64 = 1

    let engine: SQLiteEngine
    let service: FirestoreService
    let caller = FirestoreCaller { _ in .success(.full) }
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "firestore-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        engine = try SQLiteEngine(path: directory.appending(path: "store.sqlite").path, logger: logger)
        service = FirestoreService(
            engine: engine, redaction: Redaction(hide: { $0 }, marked: { _ in nil }), server: Self.server,
            logger: logger)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var store: any DocumentStore { engine.store(for: Self.database) }

    /// Writes a document of the collection `c`.
    func set(_ id: String, _ fields: Fields) async throws {
        _ = try await store.commit([.set(DocumentPath("c/\(id)"), fields)])
    }

    /// Runs a query of the collection `c`, and returns the messages.
    func run(
        _ change: (inout Google_Firestore_V1_RunQueryRequest) -> Void = { _ in }
    ) async throws -> [Google_Firestore_V1_RunQueryResponse] {
        var request = Google_Firestore_V1_RunQueryRequest()
        request.parent = Self.root
        request.structuredQuery.from = [.with { $0.collectionID = "c" }]
        change(&request)
        let responses = Received<Google_Firestore_V1_RunQueryResponse>()
        try await service.runQuery(request, as: caller) { responses.add($0.message) }
        return responses.all
    }

    /// Runs an aggregation over the field `n` of the collection `c`, and returns its value.
    @discardableResult
    func aggregate(
        _ change: (inout Google_Firestore_V1_StructuredAggregationQuery.Aggregation) -> Void
    ) async throws -> Google_Firestore_V1_Value {
        var request = Google_Firestore_V1_RunAggregationQueryRequest()
        request.parent = Self.root
        request.structuredAggregationQuery.structuredQuery = .with {
            $0.from = [.with { $0.collectionID = "c" }]
            $0.select.fields = [.with { $0.fieldPath = "n" }]
        }
        request.structuredAggregationQuery.aggregations = [.with { change(&$0) }]
        let responses = Received<Google_Firestore_V1_RunAggregationQueryResponse>()
        try await service.runAggregationQuery(request, as: caller) { responses.add($0) }
        return responses.all.first?.result.aggregateFields["field_1"] ?? .init()
    }
}

/// The messages that a call sent.
final class Received<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])

    var all: [Message] { messages.withLock { $0 } }

    func add(_ message: Message) { messages.withLock { $0.append(message) } }
}
