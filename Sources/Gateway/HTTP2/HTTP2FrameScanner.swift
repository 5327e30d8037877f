internal import NIOCore

/// Finds the frames in the bytes of one direction of a connection, in pieces of any size.
struct HTTP2FrameScanner {
    /// The frame that has begun and has not ended, if its header is whole.
    private(set) var current: HTTP2FrameHeader?
    /// The bytes to skip, up to the end of the current frame, or of the preface.
    private var remaining: Int
    /// The beginning of a header, when it came in several pieces.
    private var partialHeader = ByteBuffer()

    /// - Parameter preface: the number of bytes before the first frame.
    init(preface: Int = 0) { remaining = preface }

    /// Takes the bytes up to the end of the next frame, or all of them when the frame does not end in them.
    ///
    /// - Returns: the frame's header; `nil` when there are no more bytes.
    mutating func nextFrame(in bytes: inout ByteBuffer) -> HTTP2FrameHeader? {
        while true {
            let skipped = min(remaining, bytes.readableBytes)
            bytes.moveReaderIndex(forwardBy: skipped)
            remaining -= skipped
            guard remaining == 0 else { return nil }
            if let frame = current {
                current = nil
                return frame
            }
            guard let next = header(in: &bytes) else { return nil }
            current = next
            remaining = next.length
        }
    }

    private mutating func header(in bytes: inout ByteBuffer) -> HTTP2FrameHeader? {
        if partialHeader.readableBytes == 0, let header = HTTP2FrameHeader(readFrom: &bytes) { return header }
        let missing = min(HTTP2FrameHeader.size - partialHeader.readableBytes, bytes.readableBytes)
        guard var piece = bytes.readSlice(length: missing) else { return nil }
        partialHeader.writeBuffer(&piece)
        guard let header = HTTP2FrameHeader(readFrom: &partialHeader) else { return nil }
        partialHeader.clear()
        return header
    }
}
