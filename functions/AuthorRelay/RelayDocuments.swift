import Cryptography
package import DocumentStore

/// The paths and field names of this module's documents.
///
/// - `relayInstallations/{address id}`: see ``Installation``
/// - `relayAddresses/{address id}`: see ``DeviceRegistry``; it is there as long as the push service knows the token.
///   Also `cardTokens`?, an array of maps of `card` and `token`: the update tokens of cards without a channel
/// - `relaySignatures/{digest of key and signature}`: `usedAt`; the mark of a signature that has counted
/// - `relaySends/{digest of send secret and sender's id}`: `acceptedAt`; the mark of a message that was accepted
enum RelayDocuments {
    static let installationsID = "relayInstallations"
    static let addressesID = "relayAddresses"
    static let signaturesID = "relaySignatures"
    static let sendsID = "relaySends"

    static let usedAt = "usedAt"
    static let acceptedAt = "acceptedAt"
    static let cardTokens = "cardTokens"

    static func installations() throws(StoreError) -> CollectionPath { try CollectionPath(installationsID) }
    static func addresses() throws(StoreError) -> CollectionPath { try CollectionPath(addressesID) }
    static func signatures() throws(StoreError) -> CollectionPath { try CollectionPath(signaturesID) }
    static func sends() throws(StoreError) -> CollectionPath { try CollectionPath(sendsID) }

    static func installation(_ id: AddressID) throws(StoreError) -> DocumentPath {
        try installations().document(id.text)
    }

    static func address(_ id: AddressID) throws(StoreError) -> DocumentPath { try addresses().document(id.text) }

    static func signature(_ mark: String) throws(StoreError) -> DocumentPath { try signatures().document(mark) }

    /// Returns the path of the mark of a message. Senders choose their ids, so each secret has ids of its own.
    static func send(_ id: String, with secret: BearerCredential) throws(StoreError) -> DocumentPath {
        try sends().document(Hexadecimal.lowercase(SHA256.digest(of: secret.digest + Array(id.utf8))))
    }
}

extension AuthorRelay {
    /// The indexes that this module needs in its store.
    package static let fieldIndexes = [
        FieldIndex(
            collectionGroup: RelayDocuments.installationsID, field: FieldPath(Installation.Field.endedAt),
            type: .timestamp),
        FieldIndex(
            collectionGroup: RelayDocuments.installationsID, field: FieldPath(Installation.Field.idleSince),
            type: .timestamp),
        FieldIndex(
            collectionGroup: RelayDocuments.signaturesID, field: FieldPath(RelayDocuments.usedAt), type: .timestamp),
        FieldIndex(
            collectionGroup: RelayDocuments.sendsID, field: FieldPath(RelayDocuments.acceptedAt), type: .timestamp),
    ]
}
