import DocumentStore

/// The paths and field names of webhooks' documents.
///
/// - `webhooks/{id}`: `url`, `kinds`, `createdAt`; a webhook that was made at run time. Its secret is derived from its
///   id and the gateway's key.
/// - `webhookQueues/{target}/webhookEvents/{id}`: `type`, `body` (the JSON text), `createdAt`; an event that waits for
///   a target. The ids are in the order of the events.
enum WebhookDocuments {
    static let webhooksID = "webhooks"
    static let queuesID = "webhookQueues"
    static let eventsID = "webhookEvents"

    enum Field {
        static let url = "url"
        static let kinds = "kinds"
        static let createdAt = "createdAt"
        static let type = "type"
        static let body = "body"
    }

    static func webhooks() throws(StoreError) -> CollectionPath { try CollectionPath(webhooksID) }
    static func webhook(_ id: String) throws(StoreError) -> DocumentPath { try webhooks().document(id) }

    static func events(of target: String) throws(StoreError) -> CollectionPath {
        try CollectionPath(queuesID).document(target).collection(eventsID)
    }
}
