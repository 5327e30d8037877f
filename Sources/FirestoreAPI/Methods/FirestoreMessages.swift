/// The encoded messages that a client sends in one call.
package struct FirestoreMessages: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    private let read: @Sendable () async throws -> [UInt8]?

    /// Makes a sequence.
    ///
    /// - Parameter read: waits for the next message, and returns `nil` after the last one. It is called by one task.
    package init(_ read: @escaping @Sendable () async throws -> [UInt8]?) { self.read = read }

    package func makeAsyncIterator() -> Iterator { Iterator(read: read) }

    /// Reads one message after the other.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable () async throws -> [UInt8]?

        package mutating func next() async throws -> [UInt8]? { try await read() }
    }
}
