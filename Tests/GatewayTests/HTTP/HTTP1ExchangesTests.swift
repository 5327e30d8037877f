import NIOHTTP1
import Testing

@testable import Gateway

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

    @Test("go on behind an answer")
    mutating func persistent() {
        for _ in 0..<3 {
            #expect(exchanges.receive(request()) == .forwarded)
            let isEndForwarded = exchanges.receiveEnd()
            #expect(isEndForwarded)
            #expect(answer().headers["connection"] == [])
            #expect(exchanges.finish() == .goesOn)
        }
    }

    @Test("end with the last of those that were asked for")
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

    @Test("answer a refused request in its turn")
    mutating func refusal() {
        #expect(exchanges.receive(request()) == .forwarded)
        _ = exchanges.receiveEnd()
        #expect(exchanges.receive(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")) == .dropped)
        _ = answer()
        #expect(exchanges.finish() == .refusal(HTTP1Refusal(fault: .missing, isHead: false)))
    }

    @Test("end when nobody knows if a body comes, and not when it has come or was asked for")
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

    @Test("of HTTP/1.0 end with an answer of no length, since it knows no chunks")
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
