import Gzip
import NIOCore

/// A message as it arrived. It stays compressed until the task of its call takes it: a few bytes can decode to
/// megabytes, which must not wait in memory for the rest of a call, nor hold up the event loop.
struct ReceivedMessage: Sendable {
    let bytes: [UInt8]
    let isCompressed: Bool
    /// The maximum size without compression.
    let maximumBytes: Int
    /// The memory of a large message, which its call keeps until the message has been handled.
    let reservation: MessageReservation?

    /// Returns the message without its compression.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is not valid gzip, or too large.
    func decoded() throws(GRPCStatus) -> [UInt8] {
        guard isCompressed else { return bytes }
        var message: [UInt8] = []
        do throws(GzipError) {
            let decoder = try GzipDecoder()
            decoder.receive(ByteBuffer(bytes: bytes))
            while message.count <= maximumBytes, let piece = try decoder.nextPiece() {
                message.append(contentsOf: piece.readableBytesView)
            }
            guard decoder.isWhole || message.count > maximumBytes else { throw GzipError() }
        } catch {
            throw .invalidArgument("a message is not valid gzip")
        }
        guard message.count <= maximumBytes else {
            throw .invalidArgument("the message has more than \(maximumBytes) bytes without its compression")
        }
        return message
    }
}
