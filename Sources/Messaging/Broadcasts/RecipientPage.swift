internal import DocumentStore

/// One piece of all whom a message is for.
struct RecipientPage: Sendable {
    var targets: [Target] = []
    /// The number of registrations that the targets were picked from; 0 for a condition.
    var count = 0
    /// Subscriptions of registrations that are gone or have a newer token.
    var voidSubscriptions: [Document] = []
    /// The id of the last registration that was looked at; `nil` when there are no more.
    var last: String?
}
