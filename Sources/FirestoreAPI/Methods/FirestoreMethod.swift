/// A method of Firestore's service over encoded messages, for a transport such as gRPC.
package enum FirestoreMethod: Sendable {
    /// Takes one message and answers with one.
    case unary(@Sendable ([UInt8], FirestoreCaller) async throws(FirestoreStatus) -> [UInt8])
    /// Takes messages and answers with any number of them. Throws a ``FirestoreStatus`` if the call fails.
    case streaming(
        @Sendable (
            FirestoreMessages, FirestoreCaller, @escaping @Sendable ([UInt8]) async throws -> Void
        ) async throws -> Void)
}
