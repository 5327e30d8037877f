import FirestoreProtos

/// The requests of a Listen stream, as values.
struct DecodedMessages: AsyncSequence, Sendable {
    typealias Element = Google_Firestore_V1_ListenRequest

    let messages: FirestoreMessages
    let service: FirestoreService
    let caller: FirestoreCaller

    func makeAsyncIterator() -> Iterator {
        Iterator(encoded: messages.makeAsyncIterator(), service: service, caller: caller)
    }

    /// Reads one message after the other.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate var encoded: FirestoreMessages.Iterator
        fileprivate let service: FirestoreService
        fileprivate let caller: FirestoreCaller
        /// The memory of the last message, which has been handled when the next one is asked for.
        private var reservation: RequestReservation?

        fileprivate init(encoded: FirestoreMessages.Iterator, service: FirestoreService, caller: FirestoreCaller) {
            self.encoded = encoded
            self.service = service
            self.caller = caller
        }

        mutating func next() async throws -> Element? {
            reservation = nil
            guard let bytes = try await encoded.next() else { return nil }
            let memory = service.requestMemory
            let request: DecodedRequest<Element> = try await service.largeRequests.run(bytes.count, for: caller) {
                () async throws(FirestoreStatus) -> DecodedRequest<Element> in
                try MessageCoding.request(bytes, in: memory)
            }
            reservation = request.reservation
            return request.content
        }
    }
}

extension FirestoreMessages {
    /// Returns the only message of a call.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there is none.
    func only() async throws(FirestoreStatus) -> [UInt8] {
        do {
            var iterator = makeAsyncIterator()
            if let message = try await iterator.next() { return message }
        } catch {
            throw FirestoreStatus(catching: error)
        }
        throw .invalid("The call has no request.")
    }
}
