import FirestoreProtos
import SwiftProtobuf

extension FirestoreService {
    /// Returns a method of the service, or of the emulator's own one, by its name in the proto, such as `RunQuery`;
    /// `nil` if there is none.
    package func method(_ name: String) -> FirestoreMethod? {
        switch name {
        case "GetDocument": unary(name, getDocument(_:as:))
        case "ListDocuments": unary(name, listDocuments(_:as:))
        case "CreateDocument": unary(name, createDocument(_:as:))
        case "UpdateDocument": unary(name, updateDocument(_:as:))
        case "DeleteDocument": unary(name, deleteDocument(_:as:))
        case "Commit": unary(name, commit(_:as:))
        case "BatchWrite": unary(name, batchWrite(_:as:))
        case "ListCollectionIds": unary(name, listCollectionIDs(_:as:))
        case "BeginTransaction": unary(name, beginTransaction(_:as:))
        case "Rollback": unary(name, rollback(_:as:))
        case "PartitionQuery": unary(name, partitionQuery(_:as:))
        case "BatchGetDocuments": answersWithStream(name, batchGetDocuments(_:as:write:), MessageCoding.bytes)
        case "RunQuery": answersWithStream(name, runQuery(_:as:write:), QueryResponse.bytes)
        case "RunAggregationQuery": answersWithStream(name, runAggregationQuery(_:as:write:), MessageCoding.bytes)
        case "Listen": listenMethod
        case "Write": writeMethod
        case "ExecutePipeline": unimplemented(name)
        case "ClearData": unary(name, clearData(_:as:))
        default: nil
        }
    }

    /// Returns a method that takes one message and answers with one.
    private func unary<Request: Message & Sendable, Response: Message & Sendable>(
        _ name: String,
        _ handler: @escaping @Sendable (Request, FirestoreCaller) async throws(FirestoreStatus) -> Response
    ) -> FirestoreMethod {
        .unary { (bytes: [UInt8], caller: FirestoreCaller) async throws(FirestoreStatus) -> [UInt8] in
            try await observing(name, as: caller) {
                (caller: FirestoreCaller) async throws(FirestoreStatus) -> [UInt8] in
                try await handling(bytes, in: requestMemory, for: caller) {
                    (request: Request) async throws(FirestoreStatus) -> [UInt8] in
                    try MessageCoding.bytes(try await handler(request, caller))
                }
            }
        }
    }

    /// Returns a method that takes one message and answers with any number of them.
    ///
    /// - Parameter encode: returns the bytes of an answer.
    private func answersWithStream<Request: Message & Sendable, Response: Sendable>(
        _ name: String,
        _ handler:
            @escaping @Sendable (
                Request, FirestoreCaller, @escaping @Sendable (Response) async throws -> Void
            ) async throws(FirestoreStatus) -> Void,
        _ encode: @escaping @Sendable (Response) throws(FirestoreStatus) -> [UInt8]
    ) -> FirestoreMethod {
        .streaming { messages, caller, write in
            try await observing(name, as: caller) { (caller: FirestoreCaller) async throws(FirestoreStatus) -> Void in
                try await handling(try await messages.only(), in: readMemory, for: caller) {
                    (request: Request) async throws(FirestoreStatus) -> Void in
                    try await handler(request, caller) { try await write(try encode($0)) }
                }
            }
        }
    }

    private var listenMethod: FirestoreMethod {
        .streaming { messages, caller, write in
            try await observing("Listen", as: caller, isTimed: false) {
                (caller: FirestoreCaller) async throws(FirestoreStatus) -> Void in
                let requests = DecodedMessages(messages: messages, service: self, caller: caller)
                try await listen(requests, as: caller) { try await write(try MessageCoding.bytes($0)) }
            }
        }
    }

    private var writeMethod: FirestoreMethod {
        .streaming { messages, caller, write in
            try await observing("Write", as: caller, isTimed: false) {
                (caller: FirestoreCaller) async throws(FirestoreStatus) -> Void in
                var session = WriteSession(self, for: caller)
                do {
                    for try await bytes in messages {
                        try await write(try await answer(bytes, in: &session, for: caller))
                    }
                } catch {
                    throw FirestoreStatus(catching: error)
                }
            }
        }
    }

    /// Answers a request of a Write stream. Only a large one waits for other large ones.
    private func answer(
        _ bytes: [UInt8], in session: inout WriteSession, for caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> [UInt8] {
        try await handling(bytes, in: requestMemory, for: caller) {
            (request: Google_Firestore_V1_WriteRequest) async throws(FirestoreStatus) -> [UInt8] in
            try MessageCoding.bytes(try await session.answer(request))
        }
    }

    /// Decodes a request, and handles it while its memory is reserved: a large one on the thread for large requests.
    private func handling<Request: Message & Sendable, Answer: Sendable>(
        _ bytes: [UInt8], in memory: RequestMemory, for caller: FirestoreCaller,
        _ handler: (Request) async throws(FirestoreStatus) -> Answer
    ) async throws(FirestoreStatus) -> Answer {
        try await largeRequests.run(bytes.count, for: caller) { () async throws(FirestoreStatus) -> Answer in
            let request: DecodedRequest<Request> = try MessageCoding.request(bytes, in: memory)
            defer { withExtendedLifetime(request.reservation) {} }
            return try await handler(request.content)
        }
    }

    /// Returns a method that only other editions of Firestore have.
    private func unimplemented(_ name: String) -> FirestoreMethod {
        .streaming { _, caller, _ in
            try await observing(name, as: caller) { (_: FirestoreCaller) async throws(FirestoreStatus) -> Void in
                throw FirestoreStatus(.unimplemented, "The method \(name) is not implemented.")
            }
        }
    }
}
