import JSON
import Messaging
import TestDoubles
import Testing

/// Tests against `Golden/invalid.json`, which was written by hand.
@Suite("Invalid requests to send")
struct InvalidRequestTests {
    @Test(
        "An invalid request is refused with exactly the expected message and violations",
        arguments: try InvalidCase.all())
    func golden(invalid: InvalidCase) throws {
        let error = try #require(throws: InvalidRequest.self) { try SendRequest(json: invalid.request) }
        #expect(error.message == invalid.message)
        #expect(error.badRequest["fieldViolations"]?.prettyText == invalid.fieldViolations.prettyText)
        #expect(error.badRequest["@type"] == "type.googleapis.com/google.rpc.BadRequest")
    }

    @Test("The golden file has at least 80 invalid requests with unique names")
    func count() throws {
        let names = try InvalidCase.all().map(\.testDescription)
        #expect(names.count >= 80)
        #expect(Set(names).count == names.count)
    }

    @Test("The error of an invalid request lists at most a hundred violations")
    func many() throws {
        let members = (0..<1_000).map { ("unknown\($0)", JSONValue.null) }
        let error = try #require(throws: InvalidRequest.self) {
            try SendRequest(json: .object(JSONObject(members)))
        }
        #expect(error.violations.count == InvalidRequest.maximumViolations)
    }

    @Test("The error of an invalid request does not repeat its tokens")
    func secrecy() throws {
        let token = String(repeating: "0123456789abcdef", count: 4)
        let requests: [JSONValue] = [
            ["message": ["token": .string(token), "notification": ["title": 1]]],
            ["message": ["token": .string(token), "topic": "t"]],
            ["message": ["token": .string(token + String(repeating: " ", count: 4_096))]],
            ["message": .string(token)],
            ["message": ["notification": .string(token), "token": .string(token)]],
            ["message": ["token": [.string(token)]]],
            ["message": ["token": "t", "android": ["priority": .string(token)]]],
            ["message": ["token": "t", "android": ["notification": ["eventTime": .string(token)]]]],
            ["message": ["token": "t", "android": ["ttl": .string(token)]]],
            ["message": ["topic": "t", "apns": ["liveActivityToken": .string(token)]]],
            ["message": ["topic": .string("\(token) ")]],
            ["message": ["fid": .string("\(token) ")]],
            ["message": ["condition": .string("'\(token) ' in topics")]],
            ["message": ["token": "t", "data": .object(JSONObject([("google.\(token)", "x")]))]],
            .object(JSONObject([(token, 1)])),
        ]
        for request in requests {
            let error = try #require(throws: InvalidRequest.self) { try SendRequest(json: request) }
            #expect(!error.message.contains(token), "\(error.message)")
        }
    }
}

struct InvalidCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let request: JSONValue
    let message: String
    let fieldViolations: JSONValue

    static func all() throws -> [InvalidCase] {
        let json = try JSONValue(parsing: GoldenFile("invalid.json").text)
        return try #require(json.array).map { json in
            InvalidCase(
                testDescription: try #require(json["name"]?.string), request: try #require(json["request"]),
                message: try #require(json["message"]?.string), fieldViolations: try #require(json["fieldViolations"]))
        }
    }
}
