import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("The messages for people beside the codes of errors")
struct ErrorMessageTests {
    private func message(
        _ function: String = "registerSubscription", _ change: (inout Call) -> Void
    ) async throws -> String {
        let bench = try Bench()
        var call = Call.register()
        change(&call)
        let answer = try await bench.call(function, call)
        #expect(answer.body["error"]?.string != nil)
        return try #require(answer.body["message"]?.string)
    }

    @Test("A missing or malformed header is named, with the form that it has")
    func headers() async throws {
        let secret = "“Bearer”, a space, and the secret"
        #expect(
            try await message { $0.headers[.authorization] = nil }
                == "the Authorization header is missing; it is \(secret)")
        #expect(
            try await message { $0.headers[.authorization] = "Basic YTpi" }
                == "the Authorization header is not \(secret)")
        let type = "send “Content-Type: application/json” (curl: -H 'Content-Type: application/json')"
        #expect(
            try await message { $0.headers[.contentType] = nil } == "the Content-Type header is missing; \(type)")
        #expect(
            try await message { $0.headers[.contentType] = "application/x-www-form-urlencoded" }
                == "the Content-Type header is another one; \(type)")
        #expect(
            try await message { $0.body = [] } == "the body is missing; the function takes a JSON object")
        #expect(try await message { $0.method = .get } == "the function takes POST requests only")
    }

    @Test(
        "The problem of a secret is named, and the secret is not repeated",
        arguments: [
            ("hunter2", "the secret is too short: it has 7 characters of at least 32"),
            (String(repeating: "s", count: 257), "the secret is too long: it has 257 characters of at most 256"),
            (
                String(repeating: "s", count: 40) + "!",
                "the secret has characters other than letters, digits and +/=_-"
            ),
        ])
    func secret(secret: String, expected: String) async throws {
        let text = try await message { $0.headers[.authorization] = "Bearer \(secret)" }
        #expect(text == expected)
        #expect(!text.contains(secret))
    }

    @Test(
        "The place where the JSON ends or is broken is named",
        arguments: [
            (#"{"cwd":"/srv/app""#, "the body is not JSON: the text ends too early, at byte 17 of 17"),
            (#"{'cwd':1}"#, "the body is not JSON: an unexpected character, at byte 1 of 9"),
            ("{}}", "the body is not JSON: more text after the value, at byte 2 of 3"),
            ("[]", #"the body is JSON, but not an object such as {"cwd":"/srv/app"}"#),
        ])
    func syntax(text: String, expected: String) async throws {
        #expect(try await message { $0.body = Array(text.utf8) } == expected)
    }

    @Test("A field without a usable value is named, with the problem of its value")
    func fields() async throws {
        func message(_ function: String, _ body: JSONValue) async throws -> String {
            try await self.message(function) { $0.body = body.serialized }
        }
        let register = "registerSubscription"
        #expect(try await message(register, ["cwd": "/a", "installation_id": "i"]) == "fcm_token is missing")
        #expect(try await message(register, ["cwd": " ", "installation_id": "i"]) == "cwd is blank")
        #expect(try await message(register, ["cwd": "/a", "installation_id": 5]) == "installation_id is not a string")
        #expect(try await message("triggerReplyFinished", ["cwd": nil]) == "cwd is missing")
        #expect(try await message("unregisterSubscription", [:]) == "installation_id is missing")
        #expect(
            try await message(
                "triggerReplyFinished", ["cwd": .string(String(repeating: "x", count: 2_049))])
                == "cwd is longer than 2048 UTF-16 code units")
        #expect(
            try await message(register, ["cwd": "/a", "installation_id": "a/b", "fcm_token": "t"])
                .hasPrefix("installation_id cannot be used: it must have no slash"))
    }

    @Test("A client over its limit learns when the next request is taken")
    func rate() async throws {
        let bench = try Bench { $0.requestsPerMinutePerSecret = 1 }
        _ = try await bench.register()
        let answer = try await bench.register()
        let seconds = try #require(answer.headerFields[.retryAfter])
        #expect(
            answer.body["message"]
                == .string("there were too many requests; the next one is taken in \(seconds) s"))
    }
}
