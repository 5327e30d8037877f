import NIOCore
import TestBasics
import Testing

@testable import Server

@Suite("Scanner of HTTP/2 frames")
struct HTTP2FrameScannerTests {
    private static let bytes =
        HTTP2Frames.preface + HTTP2Frames.frame(.data, flags: 1, on: 3, [1, 2, 3])
        + HTTP2Frames.frame(.data, on: 0x8000_0005)

    @Test("HTTP/2 frames are found in pieces of any size", arguments: [1, 2, 7, 24, 100])
    func pieces(size: Int) {
        var scanner = HTTP2FrameScanner(preface: 24)
        var frames: [HTTP2FrameHeader] = []
        for start in stride(from: 0, to: Self.bytes.count, by: size) {
            var piece = ByteBuffer(bytes: Self.bytes[start..<min(start + size, Self.bytes.count)])
            while let frame = scanner.nextFrame(in: &piece) { frames.append(frame) }
            #expect(piece.readableBytes == 0)
        }
        #expect(frames.map(\.type.rawValue) == [4, 0, 0])
        #expect(frames.map(\.length) == [0, 3, 0])
        // The highest bit is reserved (RFC 9113 §4.1).
        #expect(frames.map(\.stream) == [0, 3, 5])
        #expect(frames.map(\.endsStream) == [false, true, false])
        #expect(frames.map(\.isEmptyData) == [false, false, true])
    }

    @Test("An HTTP/2 frame is reported at its end, and not before")
    func unfinished() {
        var scanner = HTTP2FrameScanner()
        var bytes = ByteBuffer(bytes: HTTP2Frames.frame(.headers, on: 1, [0x82, 0x84]).dropLast())
        #expect(scanner.nextFrame(in: &bytes) == nil)
        #expect(scanner.current?.type == .headers)
        var last = ByteBuffer(bytes: [0x84, 0])
        #expect(scanner.nextFrame(in: &last)?.type == .headers)
        #expect(last.readableBytes == 1 && scanner.current == nil)
    }
}
