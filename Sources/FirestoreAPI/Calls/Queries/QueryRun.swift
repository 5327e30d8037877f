import DocumentStore

/// One run of a query or of a vector search against a state of a database.
struct QueryRun: Sendable {
    let search: DocumentSearch
    let view: ReadView
    /// The client. The run ends with the next piece of the results when it has gone, but not before the third: a client
    /// that only closes its side of the connection still reads, and counts as gone.
    let caller: FirestoreCaller
    /// The number of pieces that are read without a look at the client.
    private static let uncheckedPieces = 2

    /// Begins to read the results. The store checks the query.
    func results() async throws(FirestoreStatus) -> QueryResults {
        view.note(search.query)
        do throws(StoreError) {
            return try await view.reader.results(of: search.query)
        } catch {
            throw FirestoreStatus(error)
        }
    }

    /// Checks the query, and returns results without documents.
    func emptyResults() async throws(FirestoreStatus) -> QueryResults {
        do throws(StoreError) {
            return try await view.reader.results(of: search.query.limited(to: 0))
        } catch {
            throw FirestoreStatus(error)
        }
    }

    /// Adds all results of a query to an answer, piece by piece.
    ///
    /// - Returns: the number of documents that were read.
    func send(_ results: QueryResults, to answer: inout QueryAnswer) async throws(FirestoreStatus) -> Int {
        guard let nearest = search.nearest else {
            var pieces = 0
            while let documents = try await next(of: results, after: pieces) {
                pieces += 1
                for document in documents { try await answer.add(document) }
            }
            return answer.count
        }
        let (heap, scanned) = try await neighbors(in: results, of: nearest)
        for neighbor in heap.sorted {
            try await answer.add(nearest.document(of: neighbor), mask: search.projection)
        }
        return scanned
    }

    /// Returns the nearest of the results, and the number of documents that were compared.
    func neighbors(
        in results: QueryResults, of nearest: NearestNeighbors
    ) async throws(FirestoreStatus) -> (heap: NeighborHeap, scanned: Int) {
        var (heap, scanned, pieces) = (NeighborHeap(limit: nearest.limit), 0, 0)
        while let documents = try await next(of: results, after: pieces) {
            pieces += 1
            for document in documents {
                if let neighbor = nearest.neighbor(document, at: scanned) { heap.add(neighbor) }
                scanned += 1
            }
        }
        return (heap, scanned)
    }

    private func next(
        of results: QueryResults, after pieces: Int
    ) async throws(FirestoreStatus) -> [Document]? {
        guard pieces < Self.uncheckedPieces || caller.isWaiting() else {
            throw FirestoreStatus(.cancelled, "The client does not wait for the answer.")
        }
        do throws(StoreError) {
            return try await results.next()
        } catch {
            throw FirestoreStatus(error)
        }
    }
}
