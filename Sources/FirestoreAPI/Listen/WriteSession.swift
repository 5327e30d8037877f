import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf

/// A Write stream: the writes of each request are one commit, answered in order.
struct WriteSession: Sendable {
    /// Sends an answer, and waits while the client does not take it.
    typealias Answer = @Sendable (Google_Firestore_V1_WriteResponse) async throws -> Void

    private let service: FirestoreService

    /// Makes a session of a service.
    init(_ service: FirestoreService) { self.service = service }

    /// Answers the requests until they end or a commit fails.
    func run<Requests: AsyncSequence>(
        _ requests: Requests, as caller: FirestoreCaller, write: Answer
    ) async throws(FirestoreStatus) where Requests.Element == Google_Firestore_V1_WriteRequest {
        do {
            var stream: WriteStream?
            for try await request in requests {
                if stream == nil {
                    let opened = try open(request, caller)
                    stream = opened
                    try await write(opened.greeting)
                } else if let response = try await stream?.answer(request) {
                    try await write(response)
                }
            }
        } catch {
            throw FirestoreStatus(catching: error)
        }
    }

    private func open(
        _ request: Google_Firestore_V1_WriteRequest, _ caller: FirestoreCaller
    ) throws(FirestoreStatus) -> WriteStream {
        guard request.streamID.isEmpty else {
            throw .invalid("Resuming streams is not supported, do not set stream ID.")
        }
        guard !request.database.isEmpty else {
            throw .invalid("'database' must be set on an initial write request.")
        }
        guard request.writes.isEmpty else {
            throw .invalid("'writes' must not be set on an initial write request.")
        }
        let database = try DatabaseID(firestoreName: request.database)
        return WriteStream(service, database, try caller.access(to: database))
    }
}

/// The commits of one Write stream.
private struct WriteStream {
    private let service: FirestoreService
    private let database: DatabaseID
    private let access: FirestoreCaller.Access
    private var answers: UInt64 = 0

    init(_ service: FirestoreService, _ database: DatabaseID, _ access: FirestoreCaller.Access) {
        self.service = service
        self.database = database
        self.access = access
    }

    /// The answer to the first request.
    var greeting: Google_Firestore_V1_WriteResponse {
        var response = Google_Firestore_V1_WriteResponse()
        response.streamID = DocumentPath.randomID()
        response.streamToken = token
        return response
    }

    /// Clients echo tokens, and take no meaning from them.
    private var token: Data { Data(String(answers).utf8) }

    /// Applies the writes of a request. A request without writes is only acknowledged.
    mutating func answer(
        _ request: Google_Firestore_V1_WriteRequest
    ) async throws -> Google_Firestore_V1_WriteResponse {
        answers += 1
        var response = Google_Firestore_V1_WriteResponse()
        response.streamToken = token
        guard !request.writes.isEmpty else { return response }
        let writes = try service.writes(request.writes, in: database, for: access)
        let result = try await service.engine.store(for: database).commitUnlessCancelled(writes)
        response.commitTime = Google_Protobuf_Timestamp(result.commitTime)
        response.writeResults = request.writes.indices.map { Google_Firestore_V1_WriteResult(result, ofWrite: $0) }
        return response
    }
}
