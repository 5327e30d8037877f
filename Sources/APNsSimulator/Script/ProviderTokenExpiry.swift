/// 403 ExpiredProviderToken that stays with a connection: once it has been answered, so is every later request, whatever
/// its provider token. Only a new connection helps.
public struct ProviderTokenExpiry: Hashable, Sendable {
    /// After so many answers it begins by itself; `nil` for when a provider token has really expired, or a scripted
    /// answer says so.
    public var afterRequests: Int?

    public init(afterRequests: Int? = nil) {
        self.afterRequests = afterRequests
    }
}
