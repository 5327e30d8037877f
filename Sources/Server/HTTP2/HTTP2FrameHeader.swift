import NIOCore

/// The header of an HTTP/2 frame (RFC 9113 §4.1).
struct HTTP2FrameHeader: Equatable {
    /// The type of a frame. RFC 9113 §6 defines ten; a receiver ignores the others.
    struct FrameType: RawRepresentable, Equatable {
        let rawValue: UInt8

        static let data = FrameType(rawValue: 0)
        static let headers = FrameType(rawValue: 1)
        static let priority = FrameType(rawValue: 2)
        static let resetStream = FrameType(rawValue: 3)
        static let settings = FrameType(rawValue: 4)
        static let ping = FrameType(rawValue: 6)
        static let goAway = FrameType(rawValue: 7)
        static let continuation = FrameType(rawValue: 9)
        /// A type that RFC 9113 does not define, so that receivers ignore the frame.
        static let ignored = FrameType(rawValue: 0xF0)
    }

    struct Flags: OptionSet {
        let rawValue: UInt8

        /// The end of the stream, in DATA and HEADERS.
        static let endStream = Flags(rawValue: 0x1)
        /// The acknowledgement, in PING and SETTINGS.
        static let acknowledgement = Flags(rawValue: 0x1)
        /// The end of the head, in HEADERS and CONTINUATION.
        static let endHeaders = Flags(rawValue: 0x4)
    }

    /// The size of a header, in bytes.
    static let size = 9

    /// The length of the payload, in bytes.
    let length: Int
    let type: FrameType
    let flags: Flags
    let stream: UInt32

    /// Reads a header from the bytes; `nil` if there are too few.
    init?(readFrom bytes: inout ByteBuffer) {
        guard let (high, low, type, flags, stream) = bytes.readMultipleIntegers(as: Layout.self) else { return nil }
        length = Int(high) << 8 | Int(low)
        self.type = FrameType(rawValue: type)
        self.flags = Flags(rawValue: flags)
        self.stream = stream & 0x7FFF_FFFF
    }

    private typealias Layout = (UInt16, UInt8, UInt8, UInt8, UInt32)
}

extension HTTP2FrameHeader {
    /// `true` if the frame belongs to a request's head, which no other frame can interrupt (RFC 9113 §4.3).
    var isPartOfHead: Bool { type == .headers || type == .continuation }

    /// `true` if the sender sends no more frames on the stream.
    var endsStream: Bool { (type == .data || type == .headers) && flags.contains(.endStream) }

    /// `true` for a valid announcement that the sender ends the connection (RFC 9113 §6.8).
    var isGoAway: Bool { type == .goAway && stream == 0 && length >= 8 }

    /// `true` for a DATA frame that carries no byte and does not end its stream.
    var isEmptyData: Bool { type == .data && length == 0 && !endsStream }
}

/// A scanner of the frames in one direction of a connection, for bytes in pieces of any size.
struct HTTP2FrameScanner {
    /// The frame in progress, if its header is complete.
    private(set) var current: HTTP2FrameHeader?
    /// The number of bytes to skip, up to the end of the current frame or of the preface.
    private var remaining: Int
    /// The first part of a header that arrives in several pieces.
    private var partialHeader = ByteBuffer()
    /// The positions of the types of GOAWAY frames in the last bytes. A position can be before them.
    private var goAwayTypes: [Int] = []

    /// The number of the last bytes that are the first part of a header.
    var partialHeaderBytes: Int { partialHeader.readableBytes }

    /// The place of the type in a header.
    private static let typeOffset = 3

    /// Creates a scanner.
    ///
    /// - Parameter preface: The number of bytes before the first frame.
    init(preface: Int = 0) { remaining = preface }

    /// Consumes the bytes up to the end of the next frame, or all bytes if the frame does not end in them.
    ///
    /// - Returns: The frame's header; `nil` if the frame is incomplete.
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
            if next.isGoAway { goAwayTypes.append(bytes.readerIndex - HTTP2FrameHeader.size + Self.typeOffset) }
            current = next
            remaining = next.length
        }
    }

    /// Returns the positions of the types of GOAWAY frames since the last call.
    mutating func takeGoAwayTypes() -> [Int] {
        if goAwayTypes.isEmpty { return [] }
        defer { goAwayTypes = [] }
        return goAwayTypes
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

/// The frames that ``HTTP2ConnectionHandler`` writes itself.
enum HTTP2FrameBytes {
    /// Returns a GOAWAY frame (RFC 9113 §6.8).
    static func goAway(lastStream: UInt32, code: HTTP2ErrorCode = .noError) -> [UInt8] {
        [0, 0, 8, 7, 0, 0, 0, 0, 0] + bytes(of: lastStream & 0x7FFF_FFFF) + bytes(of: code.rawValue)
    }

    /// A PING frame (RFC 9113 §6.7).
    static let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0] + Array("Pushgate".utf8)

    private static func bytes(of number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }
}

/// An error code of RFC 9113 §7.
enum HTTP2ErrorCode: UInt32 {
    case noError = 0
    case protocolError = 1
    case internalError = 2
    case cancel = 8
    case enhanceYourCalm = 11
}
