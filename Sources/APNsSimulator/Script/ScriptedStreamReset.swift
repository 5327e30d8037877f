/// RST_STREAM in place of an answer (RFC 9113 §6.4).
public struct ScriptedStreamReset: Hashable, Sendable {
    /// Which requests it falls on: 2 for every second one.
    public var every: Int
    /// An error code of RFC 9113 §7; 2 is INTERNAL_ERROR.
    public var errorCode: UInt32
    /// Whether the notification is accepted all the same. The sender cannot know, so it sends it again, and that counts
    /// as a duplicate.
    public var isAccepted: Bool

    public init(every: Int, errorCode: UInt32 = 2, isAccepted: Bool = false) {
        self.every = every
        self.errorCode = errorCode
        self.isAccepted = isAccepted
    }
}
