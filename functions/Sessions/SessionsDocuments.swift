import Cryptography
package import DocumentStore

/// The paths and field names of this module's documents.
///
/// - `sessionPhones/{SHA-256 of the token}`: see ``DeviceRegistry``
/// - `sessionDevices/{SHA-256 of the device's id}`: `deviceId`, `name`?, `platform`?, `lastSeenAt`
/// - `codingSessions/{SHA-256 of the session's id}`: see ``CodingSession``
/// - `codingSessions/{…}/sessionEvents/{time and random characters}`: `sessionId`, `deviceId`, `hookEventName`,
///   `cwd`?, `prompt`?, `notificationType`?, `toolName`?, `message`?, `timestamp`, `receivedAt`
/// - `sessionNotifications/{id}`: see ``SessionNotification``
/// - `sessionKeys/{the beginning of a digest}`: see ``SessionKey``
/// - `sessionState/versions`: `data`, the number of events so far, and `notifications`, the number of those with a
///   notification
enum SessionsDocuments {
    static let sessionsID = "codingSessions"
    static let phonesID = "sessionPhones"
    static let devicesID = "sessionDevices"
    static let eventsID = "sessionEvents"
    static let notificationsID = "sessionNotifications"

    static func phones() throws(StoreError) -> CollectionPath { try CollectionPath(phonesID) }
    static func devices() throws(StoreError) -> CollectionPath { try CollectionPath(devicesID) }
    static func sessions() throws(StoreError) -> CollectionPath { try CollectionPath(sessionsID) }
    static func keys() throws(StoreError) -> CollectionPath { try CollectionPath("sessionKeys") }
    static func notifications() throws(StoreError) -> CollectionPath { try CollectionPath(notificationsID) }

    static func device(_ id: String) throws(StoreError) -> DocumentPath {
        try devices().document(SHA256.hexadecimal(of: id))
    }

    static func session(_ id: String) throws(StoreError) -> DocumentPath {
        try sessions().document(SHA256.hexadecimal(of: id))
    }

    static func events(of session: String) throws(StoreError) -> CollectionPath {
        try self.session(session).collection(eventsID)
    }

    static func notification(_ id: String) throws(StoreError) -> DocumentPath { try notifications().document(id) }
    static func key(_ id: String) throws(StoreError) -> DocumentPath { try keys().document(id) }
    static func versions() throws(StoreError) -> DocumentPath {
        try CollectionPath("sessionState").document("versions")
    }

    /// Returns the path of a new event, whose id sorts by time: microseconds since 1970 in 16 digits, enough until
    /// 2286.
    static func event(of session: DocumentPath, at time: Timestamp) throws(StoreError) -> DocumentPath {
        let digits = String(max(0, time.microseconds))
        let padding = String(repeating: "0", count: max(0, 16 - digits.count))
        return try session.document(padding + digits + DocumentPath.randomID(), in: eventsID)
    }

    enum DeviceField {
        static let id = "deviceId"
        static let name = "name"
        static let platform = "platform"
        static let lastSeenAt = "lastSeenAt"
    }

    enum EventField {
        static let sessionID = "sessionId"
        static let deviceID = "deviceId"
        static let name = "hookEventName"
        static let cwd = "cwd"
        static let prompt = "prompt"
        static let notificationType = "notificationType"
        static let toolName = "toolName"
        static let message = "message"
        static let timestamp = "timestamp"
        static let receivedAt = "receivedAt"
    }

    enum VersionField {
        static let data = "data"
        static let notifications = "notifications"
        static let dataPath = FieldPath(data)
        static let notificationsPath = FieldPath(notifications)
    }
}

extension Sessions {
    /// The indexes that this module needs in its store.
    package static let fieldIndexes = [
        FieldIndex(
            collectionGroup: SessionsDocuments.sessionsID, field: FieldPath(CodingSession.Field.lastSeenAt),
            type: .timestamp),
        FieldIndex(
            collectionGroup: SessionsDocuments.sessionsID, field: FieldPath(CodingSession.Field.deviceID), type: .string
        ),
        FieldIndex(
            collectionGroup: SessionsDocuments.devicesID, field: FieldPath(SessionsDocuments.DeviceField.lastSeenAt),
            type: .timestamp),
        FieldIndex(
            collectionGroup: SessionsDocuments.eventsID, field: FieldPath(SessionsDocuments.EventField.receivedAt),
            type: .timestamp),
        FieldIndex(
            collectionGroup: SessionsDocuments.notificationsID, field: FieldPath(SessionNotification.Field.createdAt),
            type: .timestamp),
    ]
}
