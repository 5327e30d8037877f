import Functions
import HTTPTypes
import JSON
import Testing

@Suite("Request checks one by one")
struct RequestCheckTests {
    private func status(_ change: (inout Call) -> Void, minimumSecretLength: Int = 32) async throws -> Int {
        let bench = try Bench { $0.minimumSecretLength = minimumSecretLength }
        var call = Call.register()
        change(&call)
        return try await bench.register(call).status.code
    }

    @Test(
        "Every method except POST is refused, including those of CORS",
        arguments: [HTTPRequest.Method.get, .head, .options, .put, .delete, .patch, .trace])
    func methods(method: HTTPRequest.Method) async throws {
        let bench = try Bench()
        var call = Call.register()
        call.method = method
        #expect(try await bench.register(call).withoutMessage == .error(405, "method_not_allowed", [.allow: "POST"]))
    }

    @Test("A body of 16,384 bytes is accepted and one of 16,385 bytes is not")
    func size() async throws {
        #expect(try await status { $0.body += Array(repeating: 32, count: 16_384 - $0.body.count) } == 200)
        #expect(try await status { $0.body += Array(repeating: 32, count: 16_385 - $0.body.count) } == 413)
    }

    @Test("A body that breaks off is a bad request")
    func incomplete() async throws {
        #expect(try await status { $0.bodyError = .incomplete } == 400)
    }

    @Test(
        "The authorization scheme is Bearer in any letter case and a space, with any white space around it",
        arguments: [
            ("Bearer %", 200), ("bearer %", 200), ("BEARER %", 200), ("bEaReR   %  ", 200), ("  Bearer %", 200),
            ("Bearer \t%", 200), ("Bearer\t%", 401), ("Bearer\t %", 401), ("Bearer\u{A0}%", 401), ("Basic %", 401),
            ("Bearer%", 401), ("Bearer", 401), ("Bearer ", 401), ("", 401),
            ("   ", 401), ("%", 401), ("Bearer % %", 401), ("Token Bearer %", 401), ("Bearer, %", 401),
        ])
    func scheme(header: String, expected: Int) async throws {
        let value = header.split(separator: "%", omittingEmptySubsequences: false).joined(separator: Call.secret)
        #expect(try await status { $0.headers[.authorization] = value } == expected)
    }

    @Test("A secret has 32 to 256 characters", arguments: [(1, 401), (31, 401), (32, 200), (256, 200), (257, 401)])
    func secretLength(length: Int, expected: Int) async throws {
        let secret = String(repeating: "s", count: length)
        #expect(try await status { $0.headers[.authorization] = "Bearer \(secret)" } == expected)
    }

    @Test(
        "The minimum length of a secret follows the configuration",
        arguments: [(1, 200), (44, 200), (45, 401), (300, 401)])
    func minimumSecretLength(minimum: Int, expected: Int) async throws {
        #expect(try await status({ _ in }, minimumSecretLength: minimum) == expected)
    }

    @Test("A secret has only letters, digits and +/=_-")
    func secretCharacters() async throws {
        let bench = try Bench { $0.requestsPerMinutePerAddress = 0 }
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-")
        for scalar in (UInt8(33)...126).map({ Character(Unicode.Scalar($0)) }) + ["é", "😀", "ａ", "٣"] {
            let secret = String(repeating: "s", count: 40) + String(scalar)
            var call = Call.register()
            call.headers[.authorization] = "Bearer \(secret)"
            let status = try await bench.call("unregisterSubscription", call).status.code
            #expect(status == (allowed.contains(scalar) ? 200 : 401), "\(scalar)")
        }
    }

    @Test(
        "The content type is JSON in any letter case, with or without parameters",
        arguments: [
            ("application/json", 200), ("Application/JSON", 200), ("application/json; charset=utf-8", 200),
            ("application/json;charset=UTF-8", 200), ("application/json ; q=1; a=b", 200), ("text/plain", 415),
            ("application/json5", 415), ("application/x-www-form-urlencoded", 415), ("text/json", 415), ("", 415),
            (";", 415), ("json", 415), ("text/plain; application/json", 415), ("application/vnd.api+json", 415),
        ])
    func contentType(type: String, expected: Int) async throws {
        #expect(try await status { $0.headers[.contentType] = type } == expected)
    }

    @Test(
        "A body that is not one JSON object is a bad request",
        arguments: ["[]", "\"x\"", "1", "null", "true", "{", "{}}", "{\"cwd\":\"a\",}", "x", " ", "{'cwd':1}"])
    func syntax(text: String) async throws {
        let bench = try Bench()
        #expect(try await bench.register(Call(text: text)).withoutMessage == .badRequest)
    }

    @Test("A body that is not UTF-8 is a bad request")
    func encoding() async throws {
        #expect(try await status { $0.body = Array("{\"cwd\":\"".utf8) + [0xFF] + Array("\"}".utf8) } == 400)
    }

    @Test("A deeply nested body is a bad request and does not crash")
    func nesting() async throws {
        #expect(try await status { $0.body = Array(String(repeating: "{\"a\":", count: 2_500).utf8) } == 400)
    }
}
