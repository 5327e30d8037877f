import Testing

@testable import HTTP2Client

@Suite("Answer of a proxy to CONNECT")
struct TunnelAnswerTests {
    @Test(
        "A proxy's answer opens the tunnel, refuses it, or is invalid",
        arguments: [
            ("HTTP/1.1 200 Connection established\r\n\r\n", .isOpen), ("HTTP/1.0 200 OK\r\nVia: x\r\n\r\n", .isOpen),
            ("HTTP/1.1 204\r\nContent-Length: 5\r\n\r\n", .isOpen), ("HTTP/1.1 200 OK\n\n", .isOpen),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", .isOpen),
            ("HTTP/1.1 407 Authentication\r\nContent-Length: 9\r\n\r\n", .isRefused(status: 407)),
            ("HTTP/1.1 502 Bad Gateway\r\n\r\n", .isRefused(status: 502)),
            ("HTTP/1.1 302 Found\r\n\r\n", .isRefused(status: 302)),
            ("HTTP/1.1 200 OK\r\n\r\nSSH-2.0", .isInvalid), ("SSH-2.0-OpenSSH\r\n\r\n", .isInvalid),
            ("HTTP/2 200\r\n\r\n", .isInvalid), ("HTTP/1.1 20 OK\r\n\r\n", .isInvalid),
            ("HTTP/1.1 999 OK\r\n\r\n", .isInvalid), ("HTTP/1.1\r\n\r\n", .isInvalid), ("\r\n\r\n", .isInvalid),
            ("", .isIncomplete), ("HTTP/1.1 200 OK\r\n", .isIncomplete),
        ] as [(String, TunnelAnswer.Progress)])
    func answer(text: String, progress: TunnelAnswer.Progress) {
        var whole = TunnelAnswer()
        #expect(whole.receive(text.utf8) == progress)
        var pieces = TunnelAnswer()
        var last = TunnelAnswer.Progress.isIncomplete
        for byte in text.utf8 where last == .isIncomplete { last = pieces.receive([byte]) }
        // Read byte by byte, the bytes after the answer are not seen together with it.
        #expect(last == progress || progress == .isInvalid && last == .isOpen)
    }

    @Test("A proxy's answer without an end is invalid after 16 KiB")
    func endless() {
        var answer = TunnelAnswer()
        let field = "X: \(String(repeating: "a", count: 1_000))\r\n"
        #expect(answer.receive("HTTP/1.1 200 OK\r\n".utf8) == .isIncomplete)
        let progress = (0..<17).map { _ in answer.receive(field.utf8) }
        #expect(progress.first == .isIncomplete && progress.last == .isInvalid)
    }
}
