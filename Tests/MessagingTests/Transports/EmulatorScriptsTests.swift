import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Scripts on the way out")
struct EmulatorScriptsTests {
    private let scripts = EmulatorScripts()

    /// - Parameter isOfFCM: whether the message came through FCM's interface.
    private func take(_ token: String, isOfFCM: Bool = false, condition: String? = nil) -> EmulatorScripts.Script? {
        let target = Target(address: Address(token: token), registration: nil)
        return scripts.take(
            for: OutgoingNotification(
                id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0), target: target),
            of: OutgoingMessage(
                message: .sample(), lane: target.address.lane, expiration: 0,
                identity: isOfFCM ? FCMIdentity(messageID: "m", senderID: "1") : nil, condition: condition))
    }

    @Test("meet what functions send: those of the token before those of everyone")
    func functions() {
        scripts.add(.init(error: .serverUnavailable))
        scripts.add(.init(token: RegistrationToken("a"), error: .internalError, times: 2))
        #expect(take("b")?.error == .serverUnavailable)
        #expect((0..<3).map { _ in take("a")?.error } == [.internalError, .internalError, .serverUnavailable])
    }

    @Test("do not meet a message to a token a second time")
    func messagesToTokens() {
        scripts.add(.init(token: RegistrationToken("a"), times: 1))
        #expect(take("a", isOfFCM: true) == nil)
        #expect(scripts.all.count == 1)
    }

    @Test("meet a topic's subscribers when they are theirs")
    func topics() {
        scripts.add(.init(times: 1))
        scripts.add(.init(token: RegistrationToken("a"), error: .internalError, times: 1))
        #expect(take("b", isOfFCM: true, condition: "'news' in topics") == nil)
        #expect(take("a", isOfFCM: true, condition: "'news' in topics")?.error == .internalError)
        #expect(scripts.all.map(\.token) == [nil])
    }

    @Test("are used by messages as they come in, and used up")
    func messages() {
        scripts.add(.init(error: .serverUnavailable, times: 1))
        scripts.add(.init(token: RegistrationToken("a"), error: .internalError, times: 1))
        #expect(
            scripts.take(forMessageTo: [RegistrationToken("other"), RegistrationToken("a")])?.error == .internalError)
        #expect(scripts.take(forMessageTo: [])?.error == .serverUnavailable)
        #expect(scripts.take(forMessageTo: [RegistrationToken("a")]) == nil)
    }
}
