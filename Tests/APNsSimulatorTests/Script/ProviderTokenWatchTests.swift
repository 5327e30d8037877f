import Testing

@testable import APNsSimulator

@Suite("Provider tokens of one connection")
struct ProviderTokenWatchTests {
    @Test("A connection accepts its maximum of provider tokens, refuses more, and still accepts the first")
    func tooMany() {
        var watch = ProviderTokenWatch(.with { $0.maximumProviderTokens = 2 })
        let objections = ["a", "b", "a", "c", "b"].map { watch.objection(to: $0, isBelieved: true) }
        #expect(objections == [nil, nil, nil, .tooManyProviderTokenUpdates, nil])
    }

    @Test("An invalid provider token does not count towards the connection's maximum")
    func notBelieved() {
        var watch = ProviderTokenWatch(.with { $0.maximumProviderTokens = 1 })
        #expect(watch.objection(to: "bad", isBelieved: false) == nil)
        #expect(watch.objection(to: "good", isBelieved: true) == nil)
    }

    @Test("A connection with a scripted expiry answers ExpiredProviderToken to every later token")
    func expired() {
        var watch = ProviderTokenWatch(.with { $0.providerTokenExpiry = ProviderTokenExpiry() })
        watch.noteAnswer(reason: "InvalidProviderToken")
        #expect(watch.objection(to: "a", isBelieved: true) == nil)
        watch.noteAnswer(reason: "ExpiredProviderToken")
        #expect(watch.objection(to: "b", isBelieved: true) == .expiredProviderToken)
        #expect(watch.objection(to: nil, isBelieved: false) == .expiredProviderToken)
    }

    @Test("A connection may expire by itself after a number of answers", arguments: [0, 2])
    func expiresAfter(answers: Int) {
        var watch = ProviderTokenWatch(.with { $0.providerTokenExpiry = ProviderTokenExpiry(afterRequests: answers) })
        for _ in 0..<answers {
            #expect(watch.objection(to: "a", isBelieved: true) == nil)
            watch.noteAnswer(reason: nil)
        }
        #expect(watch.objection(to: "a", isBelieved: true) == .expiredProviderToken)
    }

    @Test("A connection without a script accepts tokens after ExpiredProviderToken")
    func unscripted() {
        var watch = ProviderTokenWatch()
        watch.noteAnswer(reason: "ExpiredProviderToken")
        #expect(watch.objection(to: "a", isBelieved: true) == nil)
    }
}
