import HTTP2Client
import Testing

@testable import APNs

@Suite("The reason of a failed notification")
struct ReasonTests {
    private func reason(
        _ kind: HTTP2ClientError.Kind, _ message: String = "words", goAway: String? = nil
    ) -> String {
        HTTP2ClientError(kind: kind, message: message, host: "h", isUnprocessed: false, goAwayText: goAway).reason
    }

    @Test("The reason in Apple's GOAWAY becomes the reason of the failure")
    func goAway() {
        #expect(reason(.connectionLost, goAway: #"{"reason":"TooManyProviderTokens"}"#) == "TooManyProviderTokens")
        for other in [nil, "", "no JSON", "{}", #"{"reason":1}"#] {
            #expect(reason(.connectionLost, goAway: other) == "connectionLost")
        }
        let long = String(repeating: "a", count: 500)
        #expect(reason(.refused, goAway: #"{"reason":"\#(long)"}"#).count == APNsAnswer.maximumReasonLength)
    }

    @Test("A proxy error has its message as reason, and any other error the name of its kind")
    func kinds() {
        #expect(reason(.proxy, "the proxy http://p:1 cannot be reached") == "the proxy http://p:1 cannot be reached")
        for kind in HTTP2ClientError.Kind.allCases where kind != .proxy { #expect(reason(kind) == kind.rawValue) }
    }
}
