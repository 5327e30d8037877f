import Cryptography
import DocumentStore
import Foundation

/// The paths of this module's documents.
///
/// - `humanTaskDevices/{id}`: see ``TaskDevice``
/// - `humanTaskVendors/{SHA-256 of the vendor's id}`: `deviceId`
/// - `humanTaskKeys/{SHA-256 of the token}`: `deviceId`
/// - `humanTaskTokens/{device}`: see ``DeviceRegistry``
/// - `humanTaskPresence/{device}`: see ``Presence``
/// - `humanTasks/{id}`: see ``HumanTask``
/// - `humanTasks/{id}/responses/{SHA-256 of the name, or random if a name can answer repeatedly}`: see
///   ``TaskAnswer``
/// - `humanTasks/{id}/photos/{id derived from its SHA-256}`: see ``TaskPhoto``
enum HumanTasksDocuments {
    static let deviceID = "deviceId"
    static let tasks = "humanTasks"

    static func device(_ id: String) throws(StoreError) -> DocumentPath {
        try CollectionPath("humanTaskDevices").document(id)
    }

    static func vendor(_ id: String) throws(StoreError) -> DocumentPath {
        try CollectionPath("humanTaskVendors").document(SHA256.hexadecimal(of: id))
    }

    /// - Parameter digest: The digest of a token, see ``MCPTokens/digest(of:)``.
    static func key(_ digest: String) throws(StoreError) -> DocumentPath {
        try CollectionPath("humanTaskKeys").document(digest)
    }

    static func tokens() throws(StoreError) -> CollectionPath { try CollectionPath("humanTaskTokens") }

    static func presence(_ device: String) throws(StoreError) -> DocumentPath {
        try CollectionPath("humanTaskPresence").document(device)
    }

    static func allTasks() throws(StoreError) -> CollectionPath { try CollectionPath(tasks) }
    static func task(_ id: String) throws(StoreError) -> DocumentPath { try allTasks().document(id) }

    static func responses(to task: String) throws(StoreError) -> CollectionPath {
        try self.task(task).collection("responses")
    }

    /// Returns one path per name, regardless of its spelling.
    static func response(to task: String, by name: String) throws(StoreError) -> DocumentPath {
        try responses(to: task).document(SHA256.hexadecimal(of: name.asRespondent))
    }

    static func photos(of task: String) throws(StoreError) -> CollectionPath {
        try self.task(task).collection("photos")
    }
}

extension Timestamp {
    /// The time as `YYYY-MM-DDTHH:MM:SS.fffZ`, the form of JavaScript dates. Some parsers in apps accept no other
    /// number of fractional digits.
    var inMilliseconds: String { description.prefix(23) + "Z" }
}

extension String {
    /// The form in which respondents' names are compared. It ignores case, surrounding white space and different code
    /// points for the same letters.
    var asRespondent: String { trimmingWhitespace().precomposedStringWithCanonicalMapping.lowercased() }
}
