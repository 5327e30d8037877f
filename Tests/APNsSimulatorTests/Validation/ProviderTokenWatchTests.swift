import Testing

@testable import APNsSimulator

@Suite("Provider tokens on one connection")
struct ProviderTokenWatchTests {
    @Test("So many different ones are taken; more are too many, and the first ones stay good")
    func tooMany() {
        var watch = ProviderTokenWatch(.with { $0.maximumProviderTokens = 2 })
        let objections = ["a", "b", "a", "c", "b"].map { watch.objection(to: $0, isBelieved: true) }
        #expect(objections == [nil, nil, nil, .tooManyProviderTokenUpdates, nil])
    }

    @Test("One that is not believed does not count")
    func notBelieved() {
        var watch = ProviderTokenWatch(.with { $0.maximumProviderTokens = 1 })
        #expect(watch.objection(to: "bad", isBelieved: false) == nil)
        #expect(watch.objection(to: "good", isBelieved: true) == nil)
    }

    @Test("Once expired, always expired, whatever the token")
    func expired() {
        var watch = ProviderTokenWatch(.with { $0.providerTokenExpiry = ProviderTokenExpiry() })
        watch.noteAnswer(reason: "InvalidProviderToken")
        #expect(watch.objection(to: "a", isBelieved: true) == nil)
        watch.noteAnswer(reason: "ExpiredProviderToken")
        #expect(watch.objection(to: "b", isBelieved: true) == .expiredProviderToken)
        #expect(watch.objection(to: nil, isBelieved: false) == .expiredProviderToken)
    }

    @Test("It may expire by itself, after so many answers", arguments: [0, 2])
    func expiresAfter(answers: Int) {
        var watch = ProviderTokenWatch(.with { $0.providerTokenExpiry = ProviderTokenExpiry(afterRequests: answers) })
        for _ in 0..<answers {
            #expect(watch.objection(to: "a", isBelieved: true) == nil)
            watch.noteAnswer(reason: nil)
        }
        #expect(watch.objection(to: "a", isBelieved: true) == .expiredProviderToken)
    }

    @Test("A connection without a script forgives")
    func unscripted() {
        var watch = ProviderTokenWatch()
        watch.noteAnswer(reason: "ExpiredProviderToken")
        #expect(watch.objection(to: "a", isBelieved: true) == nil)
    }
}
