import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

/// Firefox keeps one WebSocket to its push service open for as long as it runs.
@Suite("Idle browsers of the push service for browsers", .serialized, .timeLimit(.minutes(30)))
struct IdleBrowsersTests {
    private static let count = 10_000
    private static let maximumMemory = 150 << 20
    private static let hasProcessTable = FileManager.default.fileExists(atPath: "/proc/self/status")
    private static let arguments = [
        "webpush-service", "--json", "--port", "0", "--browser-port", "0", "--chromium-port", "0", "--proxy-port", "0",
        "--control-port", "0",
    ]

    /// A browser's connection, after its hello.
    private struct Browser: Sendable {
        let connection: TLSConnection

        static func connect(port: Int) async throws -> Browser {
            let connection = try await TLSConnection.openPlain(port: port)
            let upgraded = try await connection.exchange(
                """
                GET / HTTP/1.1\r
                Host: 127.0.0.1\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Protocol: push-notification\r
                \r

                """)
            #expect(upgraded.status == 101)
            let browser = Browser(connection: connection)
            let hello = try await browser.ask(#"{"messageType":"hello","use_webpush":true,"broadcasts":{}}"#)
            #expect(hello.contains(#""uaid":""#))
            return browser
        }

        /// Sends a text in a frame with a mask of zeros (RFC 6455 §5.2), and returns the next one. Both are short.
        func ask(_ text: String) async throws -> String {
            try await connection.send([0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8))
            return try await connection.receive { bytes in
                guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return nil }
                let end = 2 + Int(bytes[1])
                defer { bytes.removeFirst(end) }
                return String(decoding: bytes[2..<end], as: UTF8.self)
            }
        }
    }

    @Test(
        "10,000 browsers stay connected to a service that was started with a limit of 1,024 files, in less than 150 MiB",
        .enabled(if: raiseDescriptorLimit() > count + 500 && hasProcessTable, "needs /proc and 10,500 descriptors"))
    func idle() async throws {
        try await PushgateProgram.running(Self.arguments, descriptors: "-S -n 1024") { child in
            try await eventually("the service listens") { child.outputText.hasSuffix("\n") || !child.isRunning }
            let address = try #require(try JSONValue(parsing: child.outputText)["firefox"]?.string)
            let port = try #require(URL(string: address)?.port)
            let browsers = try await concurrently(Array(0..<Self.count), limit: 50) { _ in
                try await Browser.connect(port: port)
            }
            let answers = try await concurrently(browsers, limit: 50) { browser in try await browser.ask("{}") }
            #expect(answers == Array(repeating: "{}", count: Self.count))
            let memory = try #require(child.residentBytes)
            #expect(!isAtFullSpeed || memory < Self.maximumMemory, "\(memory >> 20) MiB")
            print("A push service with \(Self.count) idle browsers has \(memory >> 20) MiB.")
            let areOpen = browsers.allSatisfy(\.connection.isOpen)
            #expect(areOpen)
            for browser in browsers { try await browser.connection.close() }
        }
    }
}
