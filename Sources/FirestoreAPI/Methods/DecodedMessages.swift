import SwiftProtobuf

/// The messages that a client sends in one call, as values.
struct DecodedMessages<Element: Message & Sendable>: AsyncSequence, Sendable {
    let messages: FirestoreMessages

    func makeAsyncIterator() -> Iterator { Iterator(encoded: messages.makeAsyncIterator()) }

    /// Reads one message after the other.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate var encoded: FirestoreMessages.Iterator

        mutating func next() async throws -> Element? {
            guard let bytes = try await encoded.next() else { return nil }
            return try MessageCoding.message(bytes)
        }
    }

    /// Returns the only message of a call.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there is none, or if it is not valid.
    func only() async throws(FirestoreStatus) -> Element {
        do {
            var iterator = makeAsyncIterator()
            if let message = try await iterator.next() { return message }
        } catch {
            throw FirestoreStatus(catching: error)
        }
        throw .invalid("The call has no request.")
    }
}
