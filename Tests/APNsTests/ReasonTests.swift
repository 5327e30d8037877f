import HTTP2Client
import Testing

@testable import APNs

@Suite("The reason of a notification's failure")
struct ReasonTests {
    private func reason(
        _ kind: HTTP2ClientError.Kind, _ message: String = "words", goAway: String? = nil
    ) -> String {
        HTTP2ClientError(kind: kind, message: message, host: "h", isUnprocessed: false, goAwayText: goAway).reason
    }

    @Test("Apple's own reason counts, of the JSON with which it ended the connection")
    func goAway() {
        #expect(reason(.connectionLost, goAway: #"{"reason":"TooManyProviderTokens"}"#) == "TooManyProviderTokens")
        for other in [nil, "", "no JSON", "{}", #"{"reason":1}"#] {
            #expect(reason(.connectionLost, goAway: other) == "connectionLost")
        }
        let long = String(repeating: "a", count: 500)
        #expect(reason(.refused, goAway: #"{"reason":"\#(long)"}"#).count == APNsAnswer.maximumReasonLength)
    }

    @Test("A proxy is named with what it did, other kinds have their name")
    func kinds() {
        #expect(reason(.proxy, "the proxy http://p:1 cannot be reached") == "the proxy http://p:1 cannot be reached")
        for kind in HTTP2ClientError.Kind.allCases where kind != .proxy { #expect(reason(kind) == kind.rawValue) }
    }
}
