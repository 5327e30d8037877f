import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf

/// A query or a set of documents that a client listens to, as it asked for it.
struct ListenTarget: Sendable {
    /// The kinds of targets.
    enum Content: Sendable {
        case query(Query, QueryMatch)
        case documents(Set<DocumentPath>)
    }

    /// The state that the client knows.
    enum Resumption: Sendable {
        case token(Data)
        case time(Timestamp)
    }

    let content: Content
    /// The fields to send; `nil` for all.
    let mask: FieldSelection?
    /// The state that the client knows; `nil` if it knows none.
    var resumption: Resumption?
    /// `true` if the target ends with its first snapshot.
    let isOnce: Bool
    /// The number of documents that the client knows; `nil` if it does not say.
    let expectedCount: Int?

    /// Reads a target.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is malformed, or not of the stream's database.
    init(_ message: Google_Firestore_V1_Target, in database: DatabaseID) throws(FirestoreStatus) {
        content = try Content(message.targetType, in: database)
        mask = content.query?.projection.map { FieldSelection($0) }
        resumption = try Resumption(message.resumeType)
        isOnce = message.once
        expectedCount = message.hasExpectedCount ? Int(message.expectedCount.value) : nil
    }
}

extension ListenTarget {
    /// The target's query; `nil` for documents.
    var query: Query? { content.query }

    /// `true` if a document's place in the result depends on other documents.
    var isLimited: Bool {
        switch content {
        case .query(let query, _): query.limit != nil || query.offset > 0
        case .documents: false
        }
    }

    /// Returns `true` if the document belongs to the target, or would without the query's limit.
    func contains(_ document: Document) -> Bool {
        switch content {
        case .query(_, let match): match.contains(document)
        case .documents(let paths): paths.contains(document.path)
        }
    }

    /// Returns `true` if the change of a document outside a limited result may move the result: a document that the
    /// offset skips is not in the result.
    func isMoved(by change: DocumentChange) -> Bool {
        guard case .query(let query, let match) = content else { return false }
        if query.offset > 0 { return match.covers(change.path) }
        return change.after.map(match.contains) ?? false
    }
}

extension ListenTarget.Content {
    fileprivate var query: Query? {
        switch self {
        case .query(let query, _): query
        case .documents: nil
        }
    }

    fileprivate init(
        _ message: Google_Firestore_V1_Target.OneOf_TargetType?, in database: DatabaseID
    ) throws(FirestoreStatus) {
        switch message {
        case .query(let query): try self.init(query, in: database)
        case .documents(let documents): try self.init(documents, in: database)
        case nil: throw .invalid("A target must have a query or documents.")
        }
    }

    private init(
        _ message: Google_Firestore_V1_Target.QueryTarget, in database: DatabaseID
    ) throws(FirestoreStatus) {
        let parent = try ParentName(message.parent)
        guard parent.database == database else { throw .invalid("The target is not in the database of the stream.") }
        guard case .structuredQuery(let structured) = message.queryType else {
            throw .invalid("A query target must have a structured query.")
        }
        let query = try Query(structured, parent: parent)
        do throws(StoreError) {
            self = .query(query, try QueryMatch(query, in: database))
        } catch {
            throw FirestoreStatus(error)
        }
    }

    private init(
        _ message: Google_Firestore_V1_Target.DocumentsTarget, in database: DatabaseID
    ) throws(FirestoreStatus) {
        var paths: Set<DocumentPath> = []
        for text in message.documents {
            let name = try DocumentName(text)
            guard name.database == database else {
                throw .invalid("The target is not in the database of the stream.")
            }
            paths.insert(name.path)
        }
        self = .documents(paths)
    }
}

extension ListenTarget.Resumption {
    /// Reads the state that a client knows; `nil` if it knows none.
    fileprivate init?(_ message: Google_Firestore_V1_Target.OneOf_ResumeType?) throws(FirestoreStatus) {
        switch message {
        case .resumeToken(let token):
            guard !token.isEmpty else { return nil }
            self = .token(token)
        case .readTime(let time): self = .time(try Timestamp(exactly: time))
        case nil: return nil
        }
    }
}
