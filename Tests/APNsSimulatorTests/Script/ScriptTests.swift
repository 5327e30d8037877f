import SimulatorTools
import Testing

@testable import APNsSimulator

@Suite("Scripts of answers")
struct ScriptTests {
    private func statuses(_ script: inout Script, _ token: String, _ count: Int) -> [Int?] {
        (0..<count).map { _ in script.takeAnswer(for: token)?.status }
    }

    @Test("Scripted answers are used in order, each as often as its count")
    func order() {
        var script = Script()
        script.append([.rejecting(.serviceUnavailable, count: 2), .rejecting(.unregistered)], for: "ab")
        #expect(statuses(&script, "ab", 5) == [503, 503, 410, nil, nil])
        #expect(script.isEmpty)
    }

    @Test("A scripted answer without a count applies for ever")
    func forEver() {
        var script = Script()
        script.append([.rejecting(.unregistered, count: nil), .rejecting(.badDeviceToken)], for: "ab")
        #expect(statuses(&script, "ab", 3) == [410, 410, 410])
    }

    @Test("A scripted answer with a count of 0 never applies")
    func never() {
        var script = Script()
        script.append([.rejecting(.unregistered, count: 0)], for: "ab")
        #expect(script.isEmpty && script.takeAnswer(for: "ab") == nil)
    }

    @Test("Scripted answers for a token apply to it alone, and before those for all tokens")
    func perToken() {
        var script = Script()
        script.append([.rejecting(.tooManyRequests)], for: nil)
        script.append([.rejecting(.unregistered)], for: "AB")
        #expect(statuses(&script, "ab", 3) == [410, 429, nil])
        script.append([.rejecting(.unregistered)], for: "ab")
        #expect(statuses(&script, "cd", 2) == [nil, nil])
    }

    @Test("Appended answers follow the existing ones, and a removal affects one token only")
    func appendAndRemove() {
        var script = Script()
        script.append([.rejecting(.unregistered)], for: "ab")
        script.append([.rejecting(.badTopic)], for: "ab")
        script.append([.rejecting(.shutdown)], for: nil)
        #expect(script.remaining.map(\.token) == ["ab", nil])
        #expect(script.remaining.first?.answers.map(\.reason) == ["Unregistered", "BadTopic"])
        script.removeAnswers(for: "AB")
        #expect(statuses(&script, "ab", 2) == [503, nil])
    }
}
