import NIOCore
import Testing

@testable import GRPC

@Suite("Heads and statuses of gRPC")
struct GRPCCallTests {
    private static let now = NIODeadline.uptimeNanoseconds(1)

    private func call(_ more: (String, String)...) throws(GRPCStatus) -> GRPCCall {
        let fields = [(":method", "POST"), (":path", "/a.B/C")] + more
        return try GRPCCall(HTTP2Fields(fields), at: Self.now, peer: nil)
    }

    @Test(
        "A request is a call by its content type",
        arguments: [
            ("application/grpc", true), ("application/grpc+proto", true), ("application/grpc; charset=utf-8", true),
            ("Application/GRPC", true), ("application/grpc-web", false), ("application/json", false),
            ("application/grp", false), ("", false),
        ])
    func contentType(type: String, isCall: Bool) {
        #expect(GRPCCall.isCall(["content-type": type]) == isCall)
    }

    @Test("A request without a content type is no call")
    func noContentType() { #expect(!GRPCCall.isCall([":method": "POST"])) }

    @Test(
        "The timeout of a call is read in each unit, and bounded by a year",
        arguments: [
            ("2H", TimeAmount.hours(2)), ("3M", .minutes(3)), ("4S", .seconds(4)), ("5m", .milliseconds(5)),
            ("6u", .microseconds(6)), ("7n", .nanoseconds(7)), ("99999999H", .hours(24 * 365)),
        ])
    func timeout(text: String, amount: TimeAmount) throws {
        #expect(try call(("grpc-timeout", text)).deadline == Self.now + amount)
    }

    @Test(
        "A malformed timeout is INVALID_ARGUMENT", arguments: ["", "S", "1", "-1S", "+1S", "123456789S", "1x", "1 S"])
    func malformedTimeout(text: String) {
        #expect(throws: GRPCStatus.self) { try call(("grpc-timeout", text)) }
    }

    @Test("A call with an unknown encoding is UNIMPLEMENTED, and the answer names the known ones")
    func compressed() throws {
        let status = try #require(throws: GRPCStatus.self) { try call(("grpc-encoding", "deflate")) }
        #expect(status.code == 12)
        #expect(status.trailersOnly.first(name: "grpc-accept-encoding") == "identity,gzip")
        #expect(try call(("grpc-encoding", "identity")).isGzip == false)
        #expect(try call(("grpc-encoding", "gzip")).isGzip)
    }

    @Test("A message of a status is percent-encoded outside of printable ASCII")
    func encodedMessage() {
        #expect(GRPCStatus(code: 5, message: "No document to update: x").encodedMessage == "No document to update: x")
        #expect(GRPCStatus(code: 5, message: "50% ä\n").encodedMessage == "50%25 %C3%A4%0A")
    }

    @Test("A long message of a status is cut between characters")
    func longMessage() {
        let encoded = GRPCStatus(code: 5, message: String(repeating: "ä", count: 10_000)).encodedMessage
        #expect(encoded.utf8.count <= 4 * 1024)
        #expect(encoded.hasSuffix("%C3%A4"))
    }
}
