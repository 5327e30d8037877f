internal import NIOCore

/// The header of an HTTP/2 frame (RFC 9113 §4.1).
struct HTTP2FrameHeader: Equatable {
    /// RFC 9113 §6 defines ten; a receiver ignores the others.
    struct FrameType: RawRepresentable, Equatable {
        let rawValue: UInt8

        static let data = FrameType(rawValue: 0)
        static let headers = FrameType(rawValue: 1)
        static let resetStream = FrameType(rawValue: 3)
        static let ping = FrameType(rawValue: 6)
        static let goAway = FrameType(rawValue: 7)
        static let continuation = FrameType(rawValue: 9)
    }

    struct Flags: OptionSet {
        let rawValue: UInt8

        /// Of DATA and HEADERS.
        static let endStream = Flags(rawValue: 0x1)
        /// Of PING and SETTINGS.
        static let acknowledgement = Flags(rawValue: 0x1)
        /// Of HEADERS and CONTINUATION.
        static let endHeaders = Flags(rawValue: 0x4)
    }

    /// In bytes.
    static let size = 9

    /// Of the payload, in bytes.
    let length: Int
    let type: FrameType
    let flags: Flags
    let stream: UInt32

    /// Takes a header off the bytes; `nil` if they are too few.
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
    /// A Boolean value indicating whether the frame belongs to the head of a request, which nothing interrupts (RFC
    /// 9113 §4.3).
    var isPartOfHead: Bool { type == .headers || type == .continuation }

    /// A Boolean value indicating whether the sender says nothing more on the frame's stream.
    var endsStream: Bool { (type == .data || type == .headers) && flags.contains(.endStream) }

    /// A Boolean value indicating whether the frame is DATA that neither brings a byte nor ends its stream.
    var isEmptyData: Bool { type == .data && length == 0 && !endsStream }
}
