package import DocumentStore

/// The keys of a system that open the deliveries of all messages, to read them, in place of the admin token.
package protocol DeliveryReaders: Sendable {
    /// Returns `true` if a bearer token is such a key.
    func mayRead(_ bearer: String) async throws(StoreError) -> Bool
}
