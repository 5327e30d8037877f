import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf

/// A Write stream: the writes of each request are one commit, answered in order.
struct WriteSession: Sendable {
    private let service: FirestoreService
    private let caller: FirestoreCaller
    /// The commits, from the first request on.
    private var stream: WriteStream?

    /// Makes a session of a service for a client.
    init(_ service: FirestoreService, for caller: FirestoreCaller) {
        self.service = service
        self.caller = caller
    }

    /// Answers the next request. The first one only names the database.
    mutating func answer(
        _ request: Google_Firestore_V1_WriteRequest
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_WriteResponse {
        if let response = try await stream?.answer(request) { return response }
        let opened = try open(request)
        stream = opened
        return opened.greeting
    }

    private func open(_ request: Google_Firestore_V1_WriteRequest) throws(FirestoreStatus) -> WriteStream {
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
        return WriteStream(
            service: service, database: database, caller: caller, access: try caller.access(to: database))
    }
}

/// The commits of one Write stream.
private struct WriteStream {
    private let service: FirestoreService
    private let database: DatabaseID
    private let caller: FirestoreCaller
    private let access: FirestoreCaller.Access
    private var answers: UInt64 = 0

    init(service: FirestoreService, database: DatabaseID, caller: FirestoreCaller, access: FirestoreCaller.Access) {
        self.service = service
        self.database = database
        self.caller = caller
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

    /// Applies the writes of a request, unless the client has gone before their turn. A request without writes is only
    /// acknowledged.
    mutating func answer(
        _ request: Google_Firestore_V1_WriteRequest
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_WriteResponse {
        answers += 1
        var response = Google_Firestore_V1_WriteResponse()
        response.streamToken = token
        guard !request.writes.isEmpty else { return response }
        let writes = try service.writes(request.writes, in: database, for: access)
        let result = try await service.commit(writes, in: database, as: caller)
        response.commitTime = Google_Protobuf_Timestamp(result.commitTime)
        response.writeResults = request.writes.indices.map { Google_Firestore_V1_WriteResult(result, ofWrite: $0) }
        return response
    }
}
