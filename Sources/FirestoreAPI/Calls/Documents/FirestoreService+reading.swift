import DocumentStore
package import FirestoreProtos
import SwiftProtobuf

/// Reads of documents by their names.
extension FirestoreService {
    /// Returns a document.
    ///
    /// - Throws: `NOT_FOUND` if there is none.
    package func getDocument(
        _ request: Google_Firestore_V1_GetDocumentRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_Document {
        let name = try DocumentName(request.name)
        let access = try caller.access(to: name.database)
        let mask = try request.hasMask ? FieldSelection(request.mask) : nil
        let view = try await transactions.view(
            for: ReadSelector(request.consistencySelector), in: name.database, reading: [name.path])
        view.note([name.path])
        guard let document = try await documents(at: [name.path], from: view.reader).first ?? nil else {
            throw FirestoreStatus(.notFound, "Document (\(request.name)) not found.")
        }
        return message(of: document, in: name.database, for: access, mask: mask)
    }

    /// Sends documents, those found before those missing, each once. The id of a new transaction comes before them,
    /// in a message of its own.
    package func batchGetDocuments(
        _ request: Google_Firestore_V1_BatchGetDocumentsRequest, as caller: FirestoreCaller,
        write: @escaping @Sendable (Google_Firestore_V1_BatchGetDocumentsResponse) async throws -> Void
    ) async throws(FirestoreStatus) {
        let database = try DatabaseID(firestoreName: request.database)
        let access = try caller.access(to: database)
        let paths = try Self.distinctPaths(request.documents, in: database)
        let mask = try request.hasMask ? FieldSelection(request.mask) : nil
        let view = try await transactions.view(
            for: ReadSelector(request.consistencySelector), in: database, reading: paths)
        if let id = view.newTransaction { try await send(.with { $0.transaction = id }, to: write) }
        guard !paths.isEmpty else { return }
        view.note(paths)
        let results = try await documents(at: paths, from: view.reader)
        let readTime = Google_Protobuf_Timestamp(view.readTime)
        for case let document? in results {
            let found = message(of: document, in: database, for: access, mask: mask)
            try await send(.found(found, at: readTime), to: write)
        }
        for (path, document) in zip(paths, results) where document == nil {
            try await send(.missing(path.name(in: database), at: readTime), to: write)
        }
    }

    /// Returns the documents at paths, with `nil` for those without a document.
    func documents(
        at paths: [DocumentPath], from reader: any DocumentReader
    ) async throws(FirestoreStatus) -> [Document?] {
        do {
            return try await reader.documents(at: paths)
        } catch {
            throw FirestoreStatus(error)
        }
    }

    /// Returns the paths of documents' names, in their order, each once.
    private static func distinctPaths(
        _ names: [String], in database: DatabaseID
    ) throws(FirestoreStatus) -> [DocumentPath] {
        var paths: [DocumentPath] = []
        var known: Set<DocumentPath> = []
        paths.reserveCapacity(names.count)
        for name in names {
            let path = try DocumentPath(firestoreName: name, in: database)
            if known.insert(path).inserted { paths.append(path) }
        }
        return paths
    }
}

extension Google_Firestore_V1_BatchGetDocumentsResponse {
    fileprivate static func found(
        _ document: Google_Firestore_V1_Document, at time: Google_Protobuf_Timestamp
    ) -> Self {
        .with {
            $0.found = document
            $0.readTime = time
        }
    }

    fileprivate static func missing(_ name: String, at time: Google_Protobuf_Timestamp) -> Self {
        .with {
            $0.missing = name
            $0.readTime = time
        }
    }
}
