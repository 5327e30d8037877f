public import Foundation

/// A chat whose notifications this phone wants.
public struct ChatSubscription: Codable, Hashable, Sendable {
    public let chat: Chat
    /// The notification's title. Each registration brings it along: the gateway deletes a name that one leaves out.
    public internal(set) var displayName: String?
    /// What the gateway took last; nil until the first time.
    var registration: Registration?

    /// When the gateway took it last.
    public var registeredAt: Date? { registration?.time }
}

/// A registration as the gateway took it.
struct Registration: Codable, Hashable, Sendable {
    /// The SHA-256 of all that was sent and where to, so that neither token nor secret is kept here.
    let fingerprint: String
    let time: Date
}
