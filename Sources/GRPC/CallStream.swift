package import NIOCore

/// The HTTP/2 stream under a call. Use it on its event loop only. Frames leave at the end of the loop's turn.
package protocol CallStream: AnyObject {
    /// Writes the head of the answer.
    ///
    /// - Parameter isLast: `true` if nothing follows.
    func writeHead(_ fields: HTTP2Fields, isLast: Bool)
    /// Writes a part of the answer, after its head.
    ///
    /// - Parameter onSent: A function called each time some of these bytes have left, with their number.
    func write(_ bytes: ByteBuffer, onSent: (@Sendable (Int) -> Void)?)
    /// Writes the end of the answer.
    func writeTrailers(_ fields: HTTP2Fields)
    /// Asks the client to send no more, after the answer has left (RFC 9113 §8.1). An earlier reset would discard it.
    func refuseInput()
    /// Lets the client send more, after the call has received as much as it can hold.
    func resumeReading()
    /// Sends what was written outside of a turn of the connection, for example by a timer.
    func flush()
}
