import Gateway
import HTTPTypes
import JSON
import Secrets
import TestSupport
import Testing

@Suite("Bodies with gzip or a byte order mark", .timeLimit(.minutes(10)))
struct EncodedBodyTests {
    private static let key = "a-key-of-this-test-0001"
    private static let settings = [
        "functions.runs.enabled": "true", "functions.runs.apiKeys": key,
        "functions.turns.enabled": "true", "functions.turns.apiKeys": key,
        "functions.turns.site": "http://127.0.0.1:9/",
        "functions.sessions.enabled": "true", "functions.sessions.masterKey": key,
        "functions.humantasks.enabled": "true",
    ]

    /// A request with a JSON body that is accepted.
    struct Accepted: CustomTestStringConvertible, Sendable {
        let path: String
        var headers: HTTPFields = [.authorization: "Bearer \(key)"]
        let body: JSONValue
        var status = 200
        /// The path to the error's text, from the root of the answer.
        var errorText: [String] = []

        var testDescription: String { path }
    }

    static let all: [Accepted] = [
        Accepted(
            path: "/v1/projects/pushgate/messages:send", body: ["message": ["token": "emulated:a"]],
            errorText: ["error", "message"]),
        Accepted(
            path: "/iid/v1:batchAdd", body: ["to": "/topics/a", "registration_tokens": ["emulated:a"]],
            errorText: ["error", "message"]),
        Accepted(path: "/emulator/v1/scripts", body: ["errorCode": "INTERNAL"], errorText: ["error", "message"]),
        Accepted(
            path: "/registerSubscription",
            headers: [
                .authorization: "Bearer q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
                .contentType: "application/json",
            ],
            body: ["cwd": "/srv", "installation_id": "a", "fcm_token": "emulated:a"], errorText: ["message"]),
        Accepted(
            path: "/api/devices", body: ["token": "emulated:a", "platform": "ios"], status: 201,
            errorText: ["error", "message"]),
        Accepted(
            path: "/api/v1/push/register", body: ["platform": "ios", "push_token": "emulated:a"],
            errorText: ["message"]),
        Accepted(path: "/api/devices/register", body: ["name": "A phone"], status: 201, errorText: ["error"]),
        Accepted(
            path: "/register", headers: [HTTPField.Name("X-API-Key") ?? .cookie: key],
            body: ["user_id": "7", "device_token": "emulated:a"]),
    ]

    private func send(
        _ request: Accepted, _ coding: String?, _ body: [UInt8], to gateway: RunningGateway
    ) async throws -> Answer {
        var headers = request.headers
        headers[.contentEncoding] = coding
        if request.path.hasPrefix("/emulator") {
            headers[.authorization] = "Bearer \(gateway.gateway.adminToken.value)"
        }
        return try await gateway.caller.send(.post, request.path, headerFields: headers, body: body)
    }

    @Test("A body with gzip or a byte order mark is accepted as the plain body", arguments: all)
    func accepted(request: Accepted) async throws {
        try await withGateway(Self.settings) { gateway in
            let plain = request.body.serialized
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            for (coding, body) in [
                (nil, plain), ("gzip", Gzip.compress(plain)), (nil, mark + plain),
                ("gzip", Gzip.compress(mark + plain)),
            ] {
                let answer = try await send(request, coding, body, to: gateway)
                #expect([request.status, 200].contains(answer.status), "\(coding ?? "plain"): \(answer.text)")
            }
        }
    }

    @Test("A body in another coding is answered with 415 in the system's form, with the coding to use", arguments: all)
    func otherCoding(request: Accepted) async throws {
        try await withGateway(Self.settings) { gateway in
            let answer = try await send(request, "deflate", request.body.serialized, to: gateway)
            #expect(answer.status == 415 && answer.headerFields[.acceptEncoding] == "gzip")
            var text: JSONValue? = answer.body
            for name in request.errorText { text = text?[name] }
            let words = request.errorText.isEmpty ? answer.text : text?.string
            #expect(words?.contains("unsupported Content-Encoding") == true, "\(answer.text)")
        }
    }

    @Test("A damaged gzip body is answered as a client error, and a gzip bomb as too large", arguments: all)
    func refused(request: Accepted) async throws {
        try await withGateway(Self.settings) { gateway in
            let damaged = try await send(request, "gzip", request.body.serialized, to: gateway)
            #expect([400, 422].contains(damaged.status), "\(damaged.text)")
            let bomb = Gzip.compress([UInt8](repeating: UInt8(ascii: " "), count: 12 << 20))
            #expect(bomb.count < 1 << 14)
            let answer = try await send(request, "gzip", bomb, to: gateway)
            #expect(answer.status == 413, "\(answer.text)")
        }
    }

    @Test("A body's coding is checked after the API key in systems that check the key first")
    func order() async throws {
        try await withGateway(Self.settings) { gateway in
            for path in ["/api/devices", "/api/v1/push/register", "/register"] {
                let answer = try await gateway.caller.send(
                    .post, path, headerFields: [.contentEncoding: "deflate"], body: [1])
                #expect(answer.status == 401, "\(path)")
            }
            let agents = try await gateway.caller.send(
                .post, "/registerSubscription", headerFields: [.contentEncoding: "deflate"], body: [1])
            #expect(agents.status == 415)
        }
    }

    @Test("A photo may be sent with gzip, and in no other coding")
    func photo() async throws {
        try await withGateway(Self.settings) { gateway in
            let device = try await gateway.caller.send(
                .post, "/api/devices/register", body: Array(#"{"name":"A phone"}"#.utf8))
            let id = try #require(HTTPField.Name("X-Device-ID"))
            let task = try await gateway.caller.send(
                .post, "/api/hits", headerFields: [id: try #require(device.body["id"]?.string)],
                body: Array(
                    #"{"recipient_name":"Sarah","sender_name":"Matt","task_description":"Photos","hit_type":"photo"}"#
                        .utf8))
            let path = "/api/hits/\(try #require(task.body["id"]?.string))/photos"
            let photo = Array("GIF89a".utf8) + [UInt8](repeating: 0, count: 1 << 20)
            let answer = try await gateway.caller.send(
                .post, path, headerFields: [.contentType: "image/gif", .contentEncoding: "gzip"],
                body: Gzip.compress(photo))
            #expect(answer.status == 201, "\(answer.text)")
            let other = try await gateway.caller.send(
                .post, path, headerFields: [.contentType: "image/gif", .contentEncoding: "br"], body: photo)
            #expect(other.status == 415 && other.headerFields[.acceptEncoding] == "gzip")
        }
    }

    @Test("A form for the token endpoint may be sent with gzip, and errors have OAuth's form")
    func form() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let account = try await ServiceAccount(in: gateway.directory, url: gateway.url)
                let form =
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
                    + (try account.assertion())
                let good = try await gateway.caller.send(
                    .post, "/token", headerFields: [.contentEncoding: "gzip"], body: Gzip.compress(Array(form.utf8)))
                #expect(good.status == 200, "\(good.text)")
                for (coding, body, status) in [
                    ("br", Array(form.utf8), 415), ("gzip", Array(form.utf8), 400),
                    ("gzip", Gzip.compress([UInt8](repeating: 0, count: 1 << 20)), 413),
                ] {
                    let answer = try await gateway.caller.send(
                        .post, "/token", headerFields: [.contentEncoding: coding], body: body)
                    #expect(answer.status == status && answer.body["error"] == "invalid_request", "\(answer.text)")
                }
            }
        }
    }
}
