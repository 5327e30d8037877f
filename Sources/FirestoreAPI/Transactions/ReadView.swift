import DocumentStore
import FirestoreProtos
import SwiftProtobuf

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state that a read asks for.
enum ReadSelector: Sendable {
    /// The present state.
    case latest
    /// The state of an open transaction.
    case transaction(Data)
    /// The state of a transaction that begins with this read.
    case newTransaction(Google_Firestore_V1_TransactionOptions)
    /// The state at a time.
    case time(Google_Protobuf_Timestamp)
}

/// One state of a database, and the transaction that reads it, if one does.
struct ReadView: Sendable {
    /// The documents of the state.
    let reader: any DocumentReader
    /// The id of the transaction that began with this read; `nil` if none did.
    let newTransaction: Data?
    /// The time of a commit that the state contains, with all commits before it. The present state may contain later
    /// ones.
    let readTime: Timestamp
    private let notePaths: @Sendable ([DocumentPath]) -> Void
    private let noteQuery: @Sendable (Query) -> Void

    /// Makes a view of a state that no transaction reads.
    init(_ reader: any DocumentReader, readTime: Timestamp) {
        self.init(reader, readTime: readTime, newTransaction: nil, notePaths: { _ in }, noteQuery: { _ in })
    }

    /// Makes a view of a transaction's state. Both functions add to what the transaction has read.
    init(
        _ reader: any DocumentReader, readTime: Timestamp, newTransaction: Data?,
        notePaths: @escaping @Sendable ([DocumentPath]) -> Void, noteQuery: @escaping @Sendable (Query) -> Void
    ) {
        self.reader = reader
        self.readTime = readTime
        self.newTransaction = newTransaction
        self.notePaths = notePaths
        self.noteQuery = noteQuery
    }

    /// Adds documents to what the transaction has read, found or missing.
    func note(_ paths: [DocumentPath]) { notePaths(paths) }

    /// Adds the result of a query or of an aggregation to what the transaction has read.
    func note(_ query: Query) { noteQuery(query) }
}
