import Foundation
import Testing

@testable import PushgateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Errors of the client library")
struct PushClientErrorTests {
    private static let now = Date(timeIntervalSince1970: 1_780_000_000)

    struct Row: Sendable {
        let status: Int
        var retryAfter: String?
        var body = ""
        let error: PushClientError?
        var mayHelpToRetry = false
    }

    @Test(
        "An answer of the gateway gives its error, and tells if a retry may help",
        arguments: [
            Row(status: 200, body: #"{"ok":true}"#, error: nil),
            Row(status: 204, body: "not JSON", error: nil),
            Row(status: 299, error: nil),
            Row(status: 401, body: #"{"error":"unauthorized"}"#, error: .unauthorized),
            Row(
                status: 400, body: #"{"error":"cwd_too_long"}"#,
                error: .invalidRequest(status: 400, code: "cwd_too_long")),
            Row(status: 400, error: .invalidRequest(status: 400, code: nil)),
            Row(
                status: 413, body: #"{"error":"payload_too_large"}"#,
                error: .invalidRequest(status: 413, code: "payload_too_large")),
            Row(status: 429, error: .rateLimited(retryAfter: nil), mayHelpToRetry: true),
            Row(status: 429, retryAfter: "17", error: .rateLimited(retryAfter: .seconds(17)), mayHelpToRetry: true),
            Row(status: 500, error: .unavailable(status: 500, retryAfter: nil), mayHelpToRetry: true),
            Row(
                status: 503, retryAfter: "5", error: .unavailable(status: 503, retryAfter: .seconds(5)),
                mayHelpToRetry: true),
            Row(status: 404, body: "<html>", error: .unexpectedAnswer(status: 404, code: nil)),
            Row(status: 302, error: .unexpectedAnswer(status: 302, code: nil), mayHelpToRetry: true),
            Row(status: 308, error: .unexpectedAnswer(status: 308, code: nil), mayHelpToRetry: true),
            Row(status: 403, error: .unexpectedAnswer(status: 403, code: nil), mayHelpToRetry: true),
            Row(status: 408, error: .unexpectedAnswer(status: 408, code: nil), mayHelpToRetry: true),
            Row(status: 410, error: .unexpectedAnswer(status: 410, code: nil)),
            Row(status: 421, error: .unexpectedAnswer(status: 421, code: nil), mayHelpToRetry: true),
            Row(status: 425, error: .unexpectedAnswer(status: 425, code: nil), mayHelpToRetry: true),
            Row(
                status: 405, body: #"{"error":"method_not_allowed"}"#,
                error: .unexpectedAnswer(status: 405, code: "method_not_allowed")),
        ])
    func answers(row: Row) throws {
        let response = GatewayResponse(
            status: row.status, retryAfter: row.retryAfter, body: Data(row.body.utf8))
        let error = PushClientError(response, now: Self.now)
        #expect(error == row.error)
        guard let error else { return }
        #expect(error.status == row.status)
        #expect(error.mayHelpToRetry == row.mayHelpToRetry)
        #expect(error.description.contains("\(row.status)"))
        #expect(error.localizedDescription == error.description)
    }

    @Test(
        "An error quotes no text of an answer except a valid code",
        arguments: ["Bearer s3cret", "s3cret=", "S3CRET", "", String(repeating: "a", count: 65)])
    func codes(text: String) throws {
        let body = try JSONEncoder().encode(["error": text])
        let error = PushClientError(GatewayResponse(status: 400, body: body), now: Self.now)
        #expect(error == .invalidRequest(status: 400, code: nil))
    }

    @Test("A network error has a reason and may be retried, and a cancellation is no network error")
    func network() {
        let named: [(URLError.Code, String)] = [
            (.timedOut, "timed out"), (.notConnectedToInternet, "no connection to the internet"),
            (.cannotFindHost, "the host is not known"), (.cannotConnectToHost, "nothing listens there"),
            (.badURL, "URLError -1000"),
        ]
        for (code, reason) in named {
            let error = PushClientError(sending: URLError(code))
            #expect(error == .unreachable(reason: reason))
            #expect(error.mayHelpToRetry && error.status == nil)
        }
        #expect(PushClientError(sending: URLError(.cancelled)) == .cancelled)
        #expect(PushClientError(sending: CancellationError()) == .cancelled)
        #expect(PushClientError(sending: PushClientError.unauthorized) == .unauthorized)
    }

    @Test("An error of a custom sender keeps only its type's name, as its text may quote the request")
    func foreign() {
        struct Talkative: Error { let text = "Bearer s3cret" }
        let error = PushClientError(sending: Talkative())
        #expect(error == .unreachable(reason: "Talkative"))
        #expect(!String(reflecting: error).contains("s3cret"))
    }

    @Test(
        "Retry-After is read in seconds or as a date, up to one hour",
        arguments: [
            ("0", Duration.zero), (" 5 ", .seconds(5)), ("86400", .seconds(3_600)),
            ("99999999999999999999", .seconds(3_600)), ("Thu, 28 May 2026 20:27:10 GMT", .seconds(30)),
            ("Thu, 28 May 2020 20:26:40 GMT", .zero), ("-1", nil), ("soon", nil), ("", nil),
        ])
    func retryAfter(text: String, expected: Duration?) {
        #expect(RetryAfterValue.duration(text, now: Self.now) == expected)
    }

    @Test("The error of a relay tells if a retry may help, and the pause, as the gateway's does")
    func relayErrors() {
        let refusals: [RelayError] = [
            .notAdmitted, .unauthorized, .invalidRequest(message: "m"), .unexpectedAnswer(status: 404),
        ]
        for error in refusals { #expect(!PushClientError.relay(error).mayHelpToRetry, "\(error)") }
        let passing: [RelayError] = [
            .unknownAddress, .later(retryAfter: nil), .unreachable(reason: "x"), .cancelled,
            .storageFailed(reason: "x"), .deviceFailed(reason: "x"), .unexpectedAnswer(status: 302),
        ]
        for error in passing { #expect(PushClientError.relay(error).mayHelpToRetry, "\(error)") }
        let pause = PushClientError.relay(.later(retryAfter: .seconds(7)))
        #expect(pause.retryAfter == .seconds(7) && pause.status == nil)
        #expect("\(pause)" == "The relay cannot take requests at the moment; try again in 7 s.")
        let refusal = PushClientError.relay(.invalidRequest(message: "m"))
        #expect("\(refusal)" == "The relay does not take the request (400): m.")
    }

    @Test("The description of a request contains neither its secret nor its body")
    func requests() throws {
        let request = GatewayRequest(
            url: try #require(URL(string: "https://push.example.com/registerSubscription")),
            headerFields: ["Authorization": "Bearer s3cret"], body: Data("t0ken".utf8))
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped] {
            #expect(!text.contains("s3cret") && !text.contains("t0ken") && !text.contains("bytes"))
        }
    }
}
