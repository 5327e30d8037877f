/// The reply to a request to the control address.
package enum ControlReply: Sendable {
    /// A response that is ready.
    case now(ControlResponse)
    /// A response to send after a wait.
    case later(ControlWait)
}

/// A wait for something that the service receives, with a time limit.
package struct ControlWait: Sendable {
    /// The longest wait.
    package let timeout: Duration
    /// Begins the wait: calls the closure once, on any thread, when the wait is over, and returns a number for
    /// ``giveUp``; `nil` if the closure has been called.
    package let begin: @Sendable (@escaping @Sendable () -> Void) -> Int?
    /// Gives up a wait.
    package let giveUp: @Sendable (Int) -> Void
    /// Returns the response after the wait.
    ///
    /// Its parameter is `true` if the time limit has ended the wait.
    package let response: @Sendable (Bool) -> ControlResponse

    package init(
        timeout: Duration, begin: @escaping @Sendable (@escaping @Sendable () -> Void) -> Int?,
        giveUp: @escaping @Sendable (Int) -> Void, response: @escaping @Sendable (Bool) -> ControlResponse
    ) {
        self.timeout = timeout
        self.begin = begin
        self.giveUp = giveUp
        self.response = response
    }
}
