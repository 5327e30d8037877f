import DocumentStore
package import FirestoreProtos
import Signals
import SwiftProtobuf
import Synchronization

extension FirestoreService {
    /// Applies each write for itself, with a time and a status of its own.
    ///
    /// - Throws: `INVALID_ARGUMENT` if a write is malformed, two are of one document, or there are too many. Then none
    ///   of them is applied.
    package func batchWrite(
        _ request: Google_Firestore_V1_BatchWriteRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_BatchWriteResponse {
        let database = try DatabaseID(firestoreName: request.database)
        let access = try caller.access(to: database)
        guard request.writes.count <= RequestLimits.batchWrites else {
            throw .invalid("A batch has at most \(RequestLimits.batchWrites) writes, not \(request.writes.count).")
        }
        let writes = try writes(request.writes, in: database, for: access)
        try Self.validate(writes)
        var response = Google_Firestore_V1_BatchWriteResponse()
        response.writeResults.reserveCapacity(writes.count)
        response.status.reserveCapacity(writes.count)
        let results = await results(of: writes, in: engine.store(for: database), as: caller)
        for result in results { response.add(result) }
        return response
    }

    private static func validate(_ writes: [Write]) throws(FirestoreStatus) {
        var paths = Set<DocumentPath>(minimumCapacity: writes.count)
        for write in writes {
            guard paths.insert(write.path).inserted else {
                throw .invalid("the same document cannot be written more than once in a single request")
            }
            do {
                try write.validate()
            } catch {
                throw FirestoreStatus(error)
            }
        }
    }

    /// Begins all commits before it waits for one of them: the store flushes those that wait together to disk once.
    /// Those that have not begun when the client goes are not applied.
    private func results(
        of writes: [Write], in store: any DocumentStore, as client: FirestoreCaller
    ) async -> [Result<CommitResult, StoreError>] {
        guard !writes.isEmpty else { return [] }
        let caller = AwaitingCaller()
        let options = CommitOptions(isAwaited: { caller.isAwaiting && client.isWaiting() })
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let results = GatheredResults(count: writes.count) { continuation.resume(returning: $0) }
                for (position, write) in writes.enumerated() {
                    store.commit([write], with: options) { results.set($0, at: position) }
                }
            }
        } onCancel: {
            caller.leave()
        }
    }
}

extension Google_Firestore_V1_BatchWriteResponse {
    fileprivate mutating func add(_ result: Result<CommitResult, StoreError>) {
        switch result {
        case .success(let result):
            writeResults.append(Google_Firestore_V1_WriteResult(result, ofWrite: 0))
            status.append(Google_Rpc_Status())
        case .failure(let error):
            let failure = FirestoreStatus(error)
            writeResults.append(Google_Firestore_V1_WriteResult())
            status.append(
                .with {
                    $0.code = Int32(failure.code.rawValue)
                    $0.message = failure.message
                })
        }
    }
}

/// The results of commits that end in any order.
private final class GatheredResults: Sendable {
    typealias Results = [Result<CommitResult, StoreError>]

    private struct State {
        var results: [Result<CommitResult, StoreError>?]
        var missing: Int
    }

    private let state: Mutex<State>
    private let completion: @Sendable (Results) -> Void

    /// Makes an empty collection.
    ///
    /// - Parameters:
    ///   - count: the number of commits, at least one.
    ///   - completion: receives all results in the order of the commits, once.
    init(count: Int, completion: @escaping @Sendable (Results) -> Void) {
        state = Mutex(State(results: Array(repeating: nil, count: count), missing: count))
        self.completion = completion
    }

    /// Adds the result of a commit.
    func set(_ result: Result<CommitResult, StoreError>, at position: Int) {
        let all: Results? = state.withLock { state in
            state.results[position] = result
            state.missing -= 1
            return state.missing == 0 ? state.results.compactMap { $0 } : nil
        }
        if let all { completion(all) }
    }
}
