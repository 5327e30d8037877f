import DocumentStore
import TestDoubles
import Testing

@testable import Emulator
@testable import Messaging

@Suite("Scripts of the emulated transport")
struct EmulatorScriptsTests {
    private let scripts = EmulatorScripts()

    /// - Parameter isOfFCM: `true` if the message came through FCM's API.
    private func take(_ token: String, isOfFCM: Bool = false, condition: String? = nil) -> EmulatorScripts.Script? {
        let target = Target(address: PushAddress(token: token), registration: nil)
        return scripts.take(
            for: OutgoingNotification(
                id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0), target: target),
            of: OutgoingMessage(
                message: .sample(), lane: target.address.lane, expiration: 0,
                identity: isOfFCM ? FCMIdentity(messageID: "m", senderID: "1") : nil, condition: condition))
    }

    @Test("Scripts apply to function messages, those for the token before those for all")
    func functions() {
        scripts.add(.init(error: .serverUnavailable))
        scripts.add(.init(token: RegistrationToken("a"), error: .internalError, times: 2))
        #expect(take("b")?.error == .serverUnavailable)
        #expect((0..<3).map { _ in take("a")?.error } == [.internalError, .internalError, .serverUnavailable])
    }

    @Test("A script does not apply a second time to an FCM message to a token")
    func messagesToTokens() {
        scripts.add(.init(token: RegistrationToken("a"), times: 1))
        #expect(take("a", isOfFCM: true) == nil)
        #expect(scripts.all.count == 1)
    }

    @Test("A script for a token applies to a topic message for that token")
    func topics() {
        scripts.add(.init(times: 1))
        scripts.add(.init(token: RegistrationToken("a"), error: .internalError, times: 1))
        #expect(take("b", isOfFCM: true, condition: "'news' in topics") == nil)
        #expect(take("a", isOfFCM: true, condition: "'news' in topics")?.error == .internalError)
        #expect(scripts.all.map(\.token) == [nil])
    }

    @Test("Scripts apply to incoming messages and are used up")
    func messages() {
        scripts.add(.init(error: .serverUnavailable, times: 1))
        scripts.add(.init(token: RegistrationToken("a"), error: .internalError, times: 1))
        #expect(
            scripts.take(forMessageTo: [RegistrationToken("other"), RegistrationToken("a")])?.error == .internalError)
        #expect(scripts.take(forMessageTo: [])?.error == .serverUnavailable)
        #expect(scripts.take(forMessageTo: [RegistrationToken("a")]) == nil)
    }
}
