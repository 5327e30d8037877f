import PushgateClient
import TestSupport
import Testing

@Suite("Errors of a gateway in an app with the client library", .timeLimit(.minutes(10)))
struct AppErrorTests {
    private func error(
        _ settings: [String: String] = [:], suffix: String = "", secret: String = .randomSecret(),
        cwd: String = "/srv/app", subscribing count: Int = 1
    ) async throws -> PushClientError? {
        try await withTemporaryDirectory { folder in
            try await withGateway(settings) { gateway in
                let phone = try Phone(gateway, suffix: suffix, secret: secret, file: folder + "/subscriptions.json")
                try await phone.subscriptions.tokenDidChange(to: "emulated:phone")
                do throws(PushClientError) {
                    for number in 1...count {
                        try await phone.subscriptions.subscribe(to: phone.chat("\(cwd)\(number)"))
                    }
                    return nil
                } catch {
                    return error
                }
            }
        }
    }

    @Test("A secret of the wrong length gives the client library's unauthorized error")
    func unauthorized() async throws {
        #expect(try await error(secret: "short") == .unauthorized)
    }

    @Test("A folder that is too long gives the client library's invalid request error with the gateway's code")
    func tooLong() async throws {
        let cwd = "/" + String(repeating: "x", count: 2_048)
        #expect(try await error(cwd: cwd) == .invalidRequest(status: 400, code: "cwd_too_long"))
    }

    @Test("Too many requests give the client library's rate limit error with a time to wait")
    func rateLimited() async throws {
        let error = try await error(
            [
                "functions.codeagents.newServersPerHourPerAddress": "0",
                "functions.codeagents.requestsPerMinutePerSecret": "2",
            ],
            subscribing: 6)
        guard case .rateLimited(let retryAfter?)? = error else {
            Issue.record("the error is not rateLimited: \(String(describing: error))")
            return
        }
        #expect(retryAfter > .zero && retryAfter <= .seconds(60))
    }

    @Test("A base URL with too long a path gives an error with status 404, which a retry does not help")
    func wrongURL() async throws {
        let error = try await error(suffix: "/a/b/c/d/e")
        #expect(error?.status == 404)
        #expect(error?.mayHelpToRetry == false)
    }
}
