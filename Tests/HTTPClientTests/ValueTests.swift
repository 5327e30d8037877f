import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("Small values of HTTPClient")
struct ValueTests {
    @Test("A URL is split into its origin and the rest, which stays secret")
    func origin() throws {
        let (origin, rest) = try Origin.splitting("HTTPS://API.Push.Apple.com:443/3/device/AB?x=1#y")
        #expect(origin == Origin(scheme: "https", authority: "api.push.apple.com:443"))
        #expect(rest == "/3/device/AB?x=1#y")
        #expect(try Origin.splitting("http://[::1]:80").origin.authority == "[::1]:80")
        #expect(try Origin.splitting("http://[::1]:80").rest.isEmpty)
        #expect(try Origin.splitting("http://a?b").origin.authority == "a")
    }

    @Test("A duration is rounded up, so that it never becomes libcurl's zero for no limit")
    func durations() {
        #expect(Duration.nanoseconds(1).wholeMilliseconds == 1)
        #expect(Duration.milliseconds(1_500).wholeMilliseconds == 1_500)
        #expect(Duration.microseconds(1_500_001).wholeMilliseconds == 1_501)
        #expect(Duration.zero.wholeMilliseconds == 0)
        #expect(Duration.milliseconds(1).wholeSeconds == 1)
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
    }

    @Test("A FIFO returns its elements in order, however often it is compacted")
    func fifo() {
        var queue = FIFO<Int>()
        var expected = 0
        for number in 0..<1_000 {
            queue.append(number)
            guard number.isMultiple(of: 3) else { continue }
            #expect(queue.popFirst() == expected)
            expected += 1
        }
        queue.removeAll { $0.isMultiple(of: 2) }
        #expect(queue.count == 333)
        while let number = queue.popFirst() {
            #expect(!number.isMultiple(of: 2))
            #expect(number >= expected)
            expected = number + 1
        }
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
    }

    @Test("An error describes itself in one line")
    func errorDescription() {
        let error = HTTPClientError(
            kind: .timedOut, message: "it took too long", host: "a:1", curlCode: 28, isUnprocessed: false)
        #expect(error.description == "timedOut (a:1): it took too long [curl 28]")
        let bare = HTTPClientError(kind: .closed, message: "gone", isUnprocessed: true)
        #expect(bare.description == "closed: gone")
    }
}
