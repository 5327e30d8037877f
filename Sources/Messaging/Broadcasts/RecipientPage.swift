internal import DocumentStore

/// One piece of all whom a message is for.
struct RecipientPage: Sendable {
    var targets: [Target] = []
    /// Subscriptions of registrations that are gone or have a newer token.
    var voidSubscriptions: [Document] = []
    /// The id of the last registration that was looked at; `nil` when there are no more.
    var last: String?
}
