import NIOCore
import TestBasics
import Testing

@testable import Fuzzing

@Suite("Conversations of the fuzzer")
struct ConversationTests {
    private static let patience = Patience(due: .seconds(1))

    private func requests(_ count: Int, method: String = "GET") -> [FuzzRequest] {
        var generator = SeededGenerator(seed: 1)
        return (0..<count).map { _ in FuzzRequest(to: Route("x", method, "/"), &generator, in: World()) }
    }

    private func faults(_ requests: [FuzzRequest], _ text: String, isClosed: Bool = true) -> [Fault.Kind] {
        var conversation = RequestConversation(requests, depth: 2, patience: Self.patience)
        _ = conversation.start()
        var bytes = ByteBuffer(string: text)
        let steps = conversation.receive(&bytes)
        if isClosed, !steps.contains(.finish) { _ = conversation.close() }
        return conversation.record.faults.map(\.kind)
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    @Test("One answer to each request in order is no fault", arguments: [1, 2])
    func inOrder(count: Int) {
        #expect(faults(requests(count), String(repeating: Self.ok, count: count)) == [])
        let chunked =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
        #expect(faults(requests(count), String(repeating: chunked, count: count)) == [])
    }

    @Test("An answer to HEAD has no body, with any Content-Length")
    func head() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        #expect(faults(requests(2, method: "HEAD"), head + head) == [])
        #expect(faults(requests(1, method: "HEAD"), Self.ok) == [.surplus])
    }

    @Test("A surplus answer, a missing answer and an answer that is no HTTP are faults")
    func outOfOrder() {
        #expect(faults(requests(1), Self.ok + Self.ok) == [.surplus])
        #expect(faults(requests(1), "") == [.noAnswer])
        #expect(faults(requests(2), Self.ok) == [.cut])
        #expect(faults(requests(1), "hello\r\n\r\n") == [.malformed])
        #expect(faults(requests(1), "HTTP/1.1 200 OK\r\n\r\n") == [.malformed])
        #expect(faults(requests(1), "HTTP/1.1 101 Switching Protocols\r\n\r\n") == [.malformed])
    }

    @Test("A connection must be closed after an answer with Connection: close")
    func lastAnswer() {
        let last = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        #expect(faults(requests(2), last) == [])
        var conversation = RequestConversation(requests(1), patience: Self.patience)
        _ = conversation.start()
        var bytes = ByteBuffer(string: last)
        _ = conversation.receive(&bytes)
        #expect(conversation.timeOut() == [.finish])
        #expect(conversation.record.faults.map(\.kind) == [.notClosed])
    }

    @Test(
        "A server error is a fault, unless a 503 has Retry-After",
        arguments: [
            ("500 Internal Server Error", "", [Fault.Kind.serverError]), ("502 Bad Gateway", "", [.serverError]),
            ("503 Service Unavailable", "", [.serverError]), ("503 Service Unavailable", "Retry-After: 5\r\n", []),
            ("501 Not Implemented", "", [.serverError]),
        ])
    func serverErrors(status: String, fields: String, kinds: [Fault.Kind]) {
        #expect(faults(requests(1), "HTTP/1.1 \(status)\r\n\(fields)Content-Length: 0\r\n\r\n") == kinds)
    }

    @Test("Bytes that are no request need no answer, but the connection must end with the client's side")
    func bytes() {
        var conversation = ByteConversation([1], route: "x", patience: Self.patience)
        #expect(conversation.start().contains(.send([1])))
        #expect(conversation.timeOut().contains(.halfClose))
        #expect(conversation.timeOut() == [.finish])
        #expect(conversation.record.faults.map(\.kind) == [.notClosed])
    }

    @Test("A server error among the answers to broken bytes is a fault")
    func errorAmongBytes() {
        var conversation = ByteConversation([1], route: "x", patience: Self.patience)
        _ = conversation.start()
        var bytes = ByteBuffer(string: Self.ok + "HTTP/1.1 500 Oh\r\n\r\n")
        _ = conversation.receive(&bytes)
        _ = conversation.close()
        #expect(conversation.record.faults.map(\.kind) == [.serverError])
    }

    @Test("A stream without an answer or a reset is a fault, unless the server sent GOAWAY")
    func streams() {
        func faults(_ frames: [HTTP2Frame]) -> [Fault.Kind] {
            var conversation = StreamConversation([], requests: requests(2), isInOrder: true, patience: Self.patience)
            _ = conversation.start()
            var bytes = ByteBuffer(bytes: frames.flatMap(\.bytes))
            _ = conversation.receive(&bytes)
            _ = conversation.close()
            return conversation.record.faults.map(\.kind)
        }
        // 0x88 is a status of 200, 0x8E one of 500 (RFC 7541, appendix A).
        let answer = HTTP2Frame(.headers, flags: 5, on: 1, [0x88])
        #expect(faults([answer, HTTP2Frame(.reset, on: 3, [0, 0, 0, 1])]) == [])
        #expect(faults([answer, HTTP2Frame(.goAway, Array(repeating: 0, count: 8))]) == [])
        #expect(faults([answer]) == [.noAnswer])
        #expect(faults([answer, HTTP2Frame(.headers, flags: 5, on: 3, [0x8E])]) == [.serverError])
        // The literal field "grpc-status" after a status of 200: 3, INVALID_ARGUMENT, is no fault, and 13, INTERNAL,
        // is.
        func status(_ code: String) -> HTTP2Frame {
            var field: [UInt8] = [0x00, 11] + Array("grpc-status".utf8)
            field += [UInt8(code.utf8.count)] + Array(code.utf8)
            return HTTP2Frame(.headers, flags: 5, on: 3, [0x88] + field)
        }
        #expect(faults([answer, status("3")]) == [])
        #expect(faults([answer, status("13")]) == [.serverError])
    }

    @Test("A call that must be refused, and is answered with another code, is a fault")
    func codes() {
        func faults(_ code: String) -> [Fault.Kind] {
            var call = requests(1)
            call[0].expectedCode = "3"
            var conversation = StreamConversation([], requests: call, isInOrder: true, patience: Self.patience)
            _ = conversation.start()
            let field: [UInt8] =
                [0x88, 0x00, 11] + Array("grpc-status".utf8) + [UInt8(code.utf8.count)] + Array(code.utf8)
            var bytes = ByteBuffer(bytes: HTTP2Frame(.headers, flags: 5, on: 1, field).bytes)
            _ = conversation.receive(&bytes)
            _ = conversation.close()
            return conversation.record.faults.map(\.kind)
        }
        #expect(faults("3") == [] && faults("14") == [])
        #expect(faults("0") == [.wrongCode] && faults("5") == [.wrongCode] && faults("7") == [.wrongCode])
    }
}
