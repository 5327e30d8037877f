import Gateway
import HTTPTypes
import JSON
import Secrets
import TestSupport
import Testing

@Suite("Endpoints for the administrator", .timeLimit(.minutes(10)))
struct AdminTests {
    private static let paths = [
        "/emulator/v1/inbox", "/v1/deliveries", "/v1/deliveries/x", "/v1/scheduled", "/webpush/v1/survey",
    ]

    @Test("An admin endpoint without the token, or with a wrong one, answers 401", arguments: paths)
    func unauthenticated(path: String) async throws {
        try await withGateway { gateway in
            let token = gateway.gateway.adminToken.value
            for authorization in [
                nil, "Bearer", "Bearer ", "Bearer x", "Bearer \(token)x", "Bearer \(token.dropLast())",
                "Basic \(token)",
                token, "Bearer  \(token)",
            ] {
                var headerFields: HTTPFields = [:]
                headerFields[.authorization] = authorization
                let answer = try await gateway.caller.send(.get, path, headerFields: headerFields)
                #expect(answer.status == 401)
                #expect(answer.headerFields[.wwwAuthenticate] == "Bearer")
                #expect(answer.body["error"]?["code"] == 401)
                #expect(answer.body["error"]?["status"] == "UNAUTHENTICATED")
                #expect(!answer.text.contains(token))
            }
        }
    }

    @Test("The 401 for a missing admin token differs from the 401 for another gateway's token")
    func words() async throws {
        try await withGateway { gateway in
            let missing = try await gateway.caller.send(.get, Self.paths[0])
            #expect(missing.body["error"]?["message"]?.string?.hasPrefix("send the admin token") == true)
            let wrong = try await gateway.caller.send(
                .get, Self.paths[0], headerFields: [.authorization: "Bearer another-gateways-token"])
            #expect(
                wrong.body["error"]?["message"]?.string?.hasPrefix("this is not this gateway's admin token") == true)
        }
    }

    @Test("An admin endpoint accepts the configured token, and the scheme in any case")
    func authenticated() async throws {
        try await withGateway(["admin.token": "configured-token"]) { gateway in
            for scheme in ["Bearer", "bearer", "BEARER"] {
                let answer = try await gateway.caller.send(
                    .get, "/emulator/v1/inbox", headerFields: [.authorization: "\(scheme) configured-token"])
                #expect(answer.status == 200)
            }
        }
    }

    @Test("The admin token is made at the first start and kept at the next")
    func token() async throws {
        try await withDataDirectory { directory in
            let (first, isNew) = try await withGateway(in: directory) {
                ($0.gateway.adminToken.value, $0.gateway.isAdminTokenNew)
            }
            #expect(isNew)
            #expect(first.count == 43)
            #expect(try FileBytes(in: directory).files(containing: first + "\n") == ["admin-token"])
        }
    }
}
