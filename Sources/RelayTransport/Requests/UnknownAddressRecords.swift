import DocumentStore
import Messaging

/// The stored times since which relays do not know addresses.
///
/// `relayUnknownAddresses/{digest of the address}`: `since`.
struct UnknownAddressRecords: Sendable {
    private static let collection = "relayUnknownAddresses"
    private static let since = "since"

    let store: any DocumentStore
    /// Returns the present time.
    let now: @Sendable () -> Timestamp

    /// Returns the times since the addresses were not known first, by their digests. Records whose day begins again in
    /// any case are deleted.
    func ages() async throws(StoreError) -> [String: Duration] {
        var query = Query.collection(try CollectionPath(Self.collection))
        query.limit = UnknownAddresses.maximumCount
        let time = now()
        var ages: [String: Duration] = [:]
        var old: [Write] = []
        for document in try await store.documents(matching: query) {
            // A time in the future comes from a clock that was later set back.
            let age = max(.zero, time - (document[Self.since]?.timestamp ?? .distantPast))
            if age < UnknownAddresses.validity {
                ages[document.path.id] = age
            } else {
                old.append(.delete(document.path))
            }
        }
        if !old.isEmpty { _ = try await store.commit(old) }
        return ages
    }

    /// Stores that an address is not known from now on.
    func add(_ address: RegistrationToken) async throws(StoreError) {
        _ = try await store.commit([.set(try path(of: address), [Self.since: .timestamp(now())])])
    }

    /// Deletes the record of an address that is known, or has ended.
    func remove(_ address: RegistrationToken) async throws(StoreError) {
        _ = try await store.commit([.delete(try path(of: address))])
    }

    private func path(of address: RegistrationToken) throws(StoreError) -> DocumentPath {
        try CollectionPath(Self.collection).document(address.digest)
    }
}
