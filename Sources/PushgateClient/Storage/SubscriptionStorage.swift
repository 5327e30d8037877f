/// Where the list of subscriptions is kept between launches. It has no secret and no token in it.
public protocol SubscriptionStorage: Sendable {
    /// - Returns: what was saved last; nil when nothing was, or when what is there cannot be understood and was put aside.
    /// - Throws: when it cannot be read now, as before the phone's first unlock. nil would mean to start anew.
    func load() throws -> SubscriptionState?

    /// Replaces what is kept, as a whole or not at all.
    func save(_ state: SubscriptionState) throws
}
