/// Why a token cannot be sent to.
public enum UnknownToken: Error, Hashable, Sendable {
    /// It was made here, and its registration is gone or has a newer one.
    case unregistered
    /// It looks like one of FCM's, of a project that is not reached from here.
    case ofAnotherSender
    /// It is no registration token.
    case malformed
}
