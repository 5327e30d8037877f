internal import Cryptography
internal import DocumentStore

/// Where this module keeps its documents: the one place that knows.
///
/// - `humanTaskDevices/{id}`: ``TaskDevice``'s
/// - `humanTaskVendors/{SHA-256 of the vendor's id}`: `deviceId`
/// - `humanTaskKeys/{SHA-256 of the token}`: `deviceId`
/// - `humanTaskTokens/{device}`: ``DeviceRegistry``'s
/// - `humanTaskPresence/{device}`: ``Presence``'s
/// - `humanTasks/{id}`: ``Hit``'s
/// - `humanTasks/{id}/responses/{SHA-256 of the name, or random where a name can answer often}`: ``HitResponse``'s
/// - `humanTasks/{id}/photos/{of its SHA-256}`: ``HitPhoto``'s
enum HumanTasksDocuments {
    static let deviceID = "deviceId"
    static let hits = "humanTasks"

    static func device(_ id: String) throws(StoreError) -> DocumentPath {
        try CollectionPath("humanTaskDevices").document(id)
    }

    static func vendor(_ id: String) throws(StoreError) -> DocumentPath {
        try CollectionPath("humanTaskVendors").document(SHA256.hexadecimal(of: id))
    }

    /// - Parameter digest: of a token, ``MCPTokens/digest(of:)``.
    static func key(_ digest: String) throws(StoreError) -> DocumentPath {
        try CollectionPath("humanTaskKeys").document(digest)
    }

    static func tokens() throws(StoreError) -> CollectionPath { try CollectionPath("humanTaskTokens") }

    static func presence(_ device: String) throws(StoreError) -> DocumentPath {
        try CollectionPath("humanTaskPresence").document(device)
    }

    static func allHits() throws(StoreError) -> CollectionPath { try CollectionPath(hits) }
    static func hit(_ id: String) throws(StoreError) -> DocumentPath { try allHits().document(id) }

    static func responses(to hit: String) throws(StoreError) -> CollectionPath {
        try self.hit(hit).collection("responses")
    }

    /// One a name, however it is written.
    static func response(to hit: String, by name: String) throws(StoreError) -> DocumentPath {
        try responses(to: hit).document(SHA256.hexadecimal(of: name.asRespondent))
    }

    static func photos(of hit: String) throws(StoreError) -> CollectionPath { try self.hit(hit).collection("photos") }
}
