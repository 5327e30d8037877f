import Server
import Testing

@testable import RequestRules

@Suite("Refusals of origins", .timeLimit(.minutes(10)))
struct OriginRefusalTests {
    @Test("An origin refusal names the setting to change")
    func messages() {
        #expect(
            OriginRefusal.page(WebOrigin("https://a.example")).message.contains("add https://a.example to http.names"))
        #expect(OriginRefusal.page(nil).message.contains("http.names"))
        for refusal in [OriginRefusal.host(Authority("a.example")), .host(nil)] {
            #expect(refusal.message.contains("http.names") && refusal.message.contains("http.trustedProxies"))
        }
    }
}
