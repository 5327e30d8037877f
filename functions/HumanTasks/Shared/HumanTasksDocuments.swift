import Cryptography
import DocumentStore

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
    private enum Root {
        static let devices = "humanTaskDevices"
        static let keys = "humanTaskKeys"
        static let presence = "humanTaskPresence"
        static let tokens = "humanTaskTokens"
        static let vendors = "humanTaskVendors"
        static let tasks = "humanTasks"
    }

    static let deviceID = "deviceId"
    static let taskGroup = Root.tasks
    static let tokenGroup = Root.tokens
    /// The collections whose ids are credentials: those of devices are enough to act for them, and those of tasks to
    /// answer them.
    static let secretCollections = [
        Root.devices, Root.keys, Root.presence, Root.tokens, Root.vendors, Root.tasks,
    ]

    // MARK: Devices

    static func device(_ id: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(Root.devices).document(id)
    }

    static func vendor(_ id: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(Root.vendors).document(SHA256.hexadecimal(of: id))
    }

    /// - Parameter digest: The digest of a token, see ``MCPTokens/digest(of:)``.
    static func key(_ digest: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(Root.keys).document(digest)
    }

    static func tokens() throws(StoreError) -> CollectionPath { try CollectionPath(Root.tokens) }

    static func presence(_ device: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(Root.presence).document(device)
    }

    // MARK: Tasks

    static func tasks() throws(StoreError) -> CollectionPath { try CollectionPath(Root.tasks) }
    static func task(_ id: String) throws(StoreError) -> DocumentPath { try tasks().document(id) }

    static func answers(to task: String) throws(StoreError) -> CollectionPath {
        try self.task(task).collection("responses")
    }

    /// Returns one path per name, regardless of its spelling.
    static func answer(to task: String, by name: String) throws(StoreError) -> DocumentPath {
        try answers(to: task).document(SHA256.hexadecimal(of: name.asRespondent))
    }

    static func photos(of task: String) throws(StoreError) -> CollectionPath {
        try self.task(task).collection("photos")
    }

    /// Returns all collections below a task.
    static func collections(below task: String) throws(StoreError) -> [CollectionPath] {
        [try answers(to: task), try photos(of: task)]
    }
}
