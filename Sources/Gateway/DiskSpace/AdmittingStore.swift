internal import DocumentStore

/// The store as requests have it: while the disk is nearly full, it takes nothing but what makes room.
///
/// Accepted messages are settled, and swept, through the store itself.
struct AdmittingStore: DocumentStore {
    let base: any DocumentStore
    let space: DiskSpace

    var database: DatabaseID { base.database }

    /// Reports `RESOURCE_EXHAUSTED` as well, when there is no room for what the writes add.
    func commit(_ writes: [Write], completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void) {
        do throws(StoreError) {
            if writes.contains(where: \.addsData) { try space.admit() }
            base.commit(writes, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await base.documents(at: paths)
    }

    func documents(matching query: Query) async throws(StoreError) -> [Document] {
        try await base.documents(matching: query)
    }

    func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        try await base.documents(at: paths, matching: query)
    }

    func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        try await base.aggregate(aggregations, over: query)
    }

    func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await base.collectionIDs(below: document)
    }

    func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> { base.watch(query) }
}

extension Write {
    /// A delete does not, nor does a merge of nothing, which is there for its precondition.
    fileprivate var addsData: Bool {
        switch operation {
        case .delete: false
        case .merge(let fields, let mask): !(mask?.isEmpty ?? fields.isEmpty) || !transforms.isEmpty
        case .set: true
        }
    }
}
