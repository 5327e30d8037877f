import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("FCM's paths below a prefix", .timeLimit(.minutes(10)))
struct PathPrefixTests {
    private static let prefixes = ["", "/push", "/push/europe"]
    private static let body: [UInt8] = Array(#"{"message":{"topic":"news","notification":{"title":"t"}}}"#.utf8)

    @Test("The emulator takes messages, topics and requests for tokens below any prefix of one or two segments")
    func emulator() async throws {
        try await withGateway { gateway in
            for prefix in Self.prefixes {
                let sent = try await gateway.caller.send(
                    .post, prefix + "/v1/projects/demo/messages:send", body: Self.body)
                #expect(sent.status == 200, "\(prefix)")
                #expect(sent.body["name"]?.string?.hasPrefix("projects/demo/") == true)
                let token = try await gateway.caller.send(
                    .post, prefix + "/token", headerFields: [.contentType: "application/x-www-form-urlencoded"])
                #expect(token.status == 200 && token.body["access_token"] == "owner")
                let topics = try await gateway.caller.send(
                    .post, prefix + "/iid/v1:batchAdd",
                    body: Array(#"{"to":"/topics/news","registration_tokens":["emulated:a"]}"#.utf8))
                #expect(topics.status == 200)
            }
            let deep = try await gateway.caller.send(
                .post, "/a/b/c/v1/projects/demo/messages:send", body: Self.body)
            #expect(deep.status == 404)
        }
    }

    @Test("With credentials a prefix changes nothing about access")
    func access() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let account = try await ServiceAccount(in: gateway.directory, url: gateway.url)
                for prefix in Self.prefixes {
                    let path = prefix + "/v1/projects/pushgate/messages:send"
                    #expect(try await gateway.caller.send(.post, path, body: Self.body).status == 401)
                    let form =
                        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
                        + (try account.assertion())
                    let token = try await gateway.caller.send(
                        .post, prefix + "/token", headerFields: [.contentType: "application/x-www-form-urlencoded"],
                        body: Array(form.utf8))
                    let bearer: HTTPFields = [.authorization: "Bearer \(token.body["access_token"]?.string ?? "")"]
                    let sent = try await gateway.caller.send(.post, path, headerFields: bearer, body: Self.body)
                    #expect(sent.status == 200, "\(prefix)")
                    let other = try await gateway.caller.send(
                        .post, prefix + "/v1/projects/other/messages:send", headerFields: bearer, body: Self.body)
                    #expect(other.status == 403)
                }
            }
        }
    }
}
