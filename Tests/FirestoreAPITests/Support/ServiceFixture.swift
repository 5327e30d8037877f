import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import Synchronization
import TestDoubles
import Texts

@testable import FirestoreAPI

/// A service over a store in a temporary directory, and the messages to call it with.
struct ServiceFixture {
    typealias Proto = Google_Firestore_V1_Value

    static let database = DatabaseID(project: "p")
    static let root = "projects/p/databases/(default)/documents"

    let clock = ManualClock()
    let store: TemporaryStore
    let log = CollectedLog()
    let service: FirestoreService
    /// A caller that may do everything.
    let owner = FirestoreCaller { _ in .success(.full) }
    /// A caller that may read what is no secret.
    let reader = FirestoreCaller { _ in .success(.redacted) }
    /// A caller that may do nothing.
    let stranger = FirestoreCaller { _ in .failure(FirestoreStatus(.permissionDenied, "no")) }

    init() throws {
        store = try TemporaryStore(clock: clock, fieldIndexes: [])
        service = FirestoreService(
            engine: store.engine,
            redaction: Redaction(
                hide: { fields in
                    var fields = fields
                    if fields["token"] != nil { fields["token"] = .string("…") }
                    return fields
                },
                marked: { fields in fields.first { $0.value == .string("…") }?.key }), server: 1, logger: log.logger)
    }

    /// Returns the full name of a document.
    static func name(_ path: String) -> String { "\(root)/\(path)" }

    /// Returns a write that replaces a document.
    static func set(_ path: String, _ fields: [ExactText: Proto] = [:]) -> Google_Firestore_V1_Write {
        .with {
            $0.update.name = name(path)
            $0.update.fields = fields
        }
    }

    @discardableResult
    func commit(_ writes: [Google_Firestore_V1_Write]) async throws -> Google_Firestore_V1_CommitResponse {
        try await service.commit(
            .with {
                $0.database = "\(Self.database)"
                $0.writes = writes
            }, as: owner)
    }

    func document(_ path: String) async throws -> Google_Firestore_V1_Document {
        try await service.getDocument(.with { $0.name = Self.name(path) }, as: owner)
    }
}

extension Google_Firestore_V1_Value {
    static func integer(_ number: Int64) -> Self { .with { $0.integerValue = number } }
    static func text(_ text: String) -> Self { .with { $0.stringValue = text } }
}

/// The messages that a call has written.
final class Written<Message: Sendable>: Sendable {
    private let list = Mutex<[Message]>([])

    var messages: [Message] { list.withLock { $0 } }

    func add(_ message: Message) { list.withLock { $0.append(message) } }
}

/// Returns the status with which a call fails; `nil` if it succeeds.
func status(of call: () async throws -> Void) async -> FirestoreStatus? {
    do {
        try await call()
        return nil
    } catch {
        return FirestoreStatus(catching: error)
    }
}
