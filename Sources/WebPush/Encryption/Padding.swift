/// The padding of messages, which hides their length from the push service.
package enum Padding: Hashable, Sendable {
    /// Messages are as long as one of a few lengths.
    case buckets
    /// Messages keep their length.
    case none

    /// The lengths. Firefox on Android takes about 3,070 bytes of a body (its messages go on through FCM), so messages
    /// that fit it are not padded beyond.
    private static let lengths = [512, 1_024, 2_048, 2_800]

    /// Returns the number of bytes of padding for a message.
    ///
    /// - Parameter count: The number of bytes in the message.
    package func byteCount(forContent count: Int) -> Int {
        guard self == .buckets, let length = Self.lengths.first(where: { $0 >= count }) else { return 0 }
        return length - count
    }
}
