public import DocumentStore

/// One recipient: an address, and the document to remove when the address turns out dead.
public struct Target: Hashable, Sendable {
    public let address: Address
    public let registration: DocumentPath?

    public init(address: Address, registration: DocumentPath?) {
        self.address = address
        self.registration = registration
    }
}
