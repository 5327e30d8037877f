import NIOCore

/// A frame of MCS, the connection over which Google pushes to Chromium: a tag, a length and a message in protobuf.
///
/// Chromium, `google_apis/gcm/engine/connection_handler_impl.h`. In each direction the byte of the protocol's version
/// precedes the first frame.
struct MCSFrame: Hashable, Sendable {
    /// The version of the protocol.
    static let version: UInt8 = 41
    /// The largest message, in bytes. Chromium's login lists the ids of received messages, so it can be large.
    static let maximumSize = 1024 * 1024

    /// The kind of the message.
    let tag: UInt8
    /// The message in protobuf.
    let content: [UInt8]

    /// The frame on the wire.
    var bytes: [UInt8] {
        var length = ProtobufWriter()
        length.writeVarint(UInt64(content.count))
        return [tag] + length.bytes + content
    }
}

/// The tags of messages, from Chromium's `google_apis/gcm/base/mcs_util.h`.
enum MCSTag {
    static let heartbeatPing: UInt8 = 0
    static let heartbeatAck: UInt8 = 1
    static let loginRequest: UInt8 = 2
    static let loginResponse: UInt8 = 3
    static let close: UInt8 = 4
    static let iqStanza: UInt8 = 7
    static let dataMessageStanza: UInt8 = 8
}

/// A reader of a browser's frames, which accepts bytes in pieces of any size.
struct MCSFrameReader {
    private var unread = ByteBuffer()
    private var hasVersion = false

    mutating func append(_ bytes: ByteBuffer) {
        unread.discardReadBytes()
        unread.writeImmutableBuffer(bytes)
    }

    /// Returns the next whole frame; `nil` if more bytes are needed.
    ///
    /// - Throws: ``MCSError`` if the bytes are not MCS. The connection has to be closed.
    mutating func next() throws(MCSError) -> MCSFrame? {
        guard try readVersion(), let tag = unread.getInteger(at: unread.readerIndex, as: UInt8.self),
            let (size, sizeBytes) = try nextSize()
        else { return nil }
        let content = unread.readerIndex + 1 + sizeBytes
        guard let bytes = unread.getBytes(at: content, length: size) else { return nil }
        unread.moveReaderIndex(to: content + size)
        return MCSFrame(tag: tag, content: bytes)
    }

    private mutating func readVersion() throws(MCSError) -> Bool {
        if hasVersion { return true }
        guard let version = unread.readInteger(as: UInt8.self) else { return false }
        guard version == MCSFrame.version else { throw .version(version) }
        hasVersion = true
        return true
    }

    /// Returns the size of the next message and the number of bytes that it is written in; `nil` if more are needed.
    private func nextSize() throws(MCSError) -> (size: Int, bytes: Int)? {
        var size = 0
        for place in 0..<4 {
            guard let byte = unread.getInteger(at: unread.readerIndex + 1 + place, as: UInt8.self) else { return nil }
            size |= Int(byte & 0x7F) << (7 * place)
            guard byte >= 0x80 else {
                if size > MCSFrame.maximumSize { break }
                return (size, place + 1)
            }
        }
        throw .tooLarge
    }
}

/// The reason to close a browser's MCS connection.
enum MCSError: Error, Hashable {
    /// The first byte is not the protocol's version.
    case version(UInt8)
    /// A message exceeds ``MCSFrame/maximumSize``.
    case tooLarge
    /// A message is not protobuf, or lacks a required field.
    case malformed
    /// The first message is not a login.
    case loginExpected
}
