/// The name of a chunk: its message's id, and its number within the message.
package struct ChunkID: Hashable, Sendable, CustomStringConvertible {
    /// The id of the message.
    package let message: String
    /// The number of the chunk, from 0.
    package let number: Int

    /// The id and the number, separated by a slash.
    package var description: String { "\(message)/\(number)" }
}
