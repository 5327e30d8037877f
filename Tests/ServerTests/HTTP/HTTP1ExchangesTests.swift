import NIOHTTP1
import Testing

@testable import Server

@Suite("Exchanges of HTTP/1.1")
struct HTTP1ExchangesTests {
    private var exchanges = HTTP1Exchanges()

    private func request(_ fields: HTTPHeaders = [:], _ version: HTTPVersion = .http1_1) -> HTTPRequestHead {
        HTTPRequestHead(version: version, method: .POST, uri: "/", headers: ["Host": "a"] + fields)
    }

    private mutating func answer(_ fields: HTTPHeaders = ["Content-Length": "0"]) -> HTTPResponseHead {
        var head = HTTPResponseHead(version: .http1_1, status: .ok, headers: fields)
        _ = exchanges.prepare(&head)
        return head
    }

    @Test("An HTTP/1.1 connection goes on after each answer")
    mutating func persistent() {
        for _ in 0..<3 {
            #expect(exchanges.receive(request()) == .forwarded)
            let isEndForwarded = exchanges.receiveEnd()
            #expect(isEndForwarded)
            #expect(answer().headers["connection"] == [])
            #expect(exchanges.finish() == .goesOn)
        }
    }

    @Test("Connection: close on a pipelined request ends the connection after its answer")
    mutating func last() {
        #expect(exchanges.receive(request()) == .forwarded)
        _ = exchanges.receiveEnd()
        #expect(exchanges.receive(request(["Connection": "close"])) == .forwarded)
        _ = exchanges.receiveEnd()
        #expect(exchanges.receive(request()) == .dropped)
        #expect(answer().headers["connection"] == [])
        #expect(exchanges.finish() == .goesOn)
        #expect(answer().headers["connection"] == ["close"])
        #expect(exchanges.finish() == .closes)
    }

    @Test("A refused request is answered after the requests before it")
    mutating func refusal() {
        #expect(exchanges.receive(request()) == .forwarded)
        _ = exchanges.receiveEnd()
        #expect(exchanges.receive(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")) == .dropped)
        _ = answer()
        #expect(exchanges.finish() == .refusal(HTTP1Refusal(fault: .missing, isHead: false)))
    }

    @Test("An early answer to Expect ends the connection, unless the body came or was asked for")
    mutating func uncertain() {
        #expect(exchanges.receive(request(["Expect": "100-continue"])) == .forwarded)
        _ = exchanges.receiveEnd()
        #expect(answer().headers["connection"] == [])
        #expect(exchanges.finish() == .goesOn)
        #expect(exchanges.receive(request(["Expect": "100-continue"])) == .forwarded)
        var informational = HTTPResponseHead(version: .http1_1, status: .continue)
        _ = exchanges.prepare(&informational)
        #expect(answer().headers["connection"] == [])
        #expect(exchanges.finish() == .goesOn)
        #expect(exchanges.receive(request(["Expect": "100-continue"])) == .forwarded)
        #expect(answer().headers["connection"] == ["close"])
        #expect(exchanges.finish() == .closes)
    }

    @Test("An answer without a length to HTTP/1.0 closes the connection, as HTTP/1.0 has no chunks")
    mutating func endless() {
        #expect(exchanges.receive(request(["Connection": "keep-alive"], .http1_0)) == .forwarded)
        _ = exchanges.receiveEnd()
        let head = answer([:])
        #expect(head.version == .http1_0)
        #expect(head.headers["connection"] == ["close"])
        #expect(exchanges.finish() == .closes)
    }
}

extension HTTPHeaders {
    fileprivate static func + (first: HTTPHeaders, second: HTTPHeaders) -> HTTPHeaders {
        var all = first
        all.add(contentsOf: second)
        return all
    }
}
