/// The state of an accepted message on its way to the browser.
public enum MessageDelivery: String, CaseIterable, Sendable {
    /// The browser is not connected, or saves power and the message is not urgent enough.
    case waiting
    /// The message was sent to the browser, which has not acknowledged it yet.
    case sent
    /// The browser has acknowledged the message. A subscription without a browser acknowledges each message at once.
    /// Firefox does so before the service worker runs: if that fails, ``failed`` follows.
    case acknowledged
    /// The browser could not decrypt the message, or its service worker failed.
    case failed
    /// The lifetime ended before the browser had acknowledged the message.
    case expired
    /// A later message with the same topic has replaced this one.
    case replaced
    /// The sender has deleted the message (RFC 8030 §7.3).
    case canceled
    /// The message had no lifetime and the browser was not connected, the subscription ended, or the queue was full.
    case dropped
}
