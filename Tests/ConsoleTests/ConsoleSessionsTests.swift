import DocumentStore
import HTTPTypes
import Hummingbird
import NIOCore
import RequestRules
import Secrets
import Server
import TestDoubles
import Testing

@testable import Console

@Suite("Sessions of the console")
struct ConsoleSessionsTests {
    private let clock = ManualClock()

    private func sessions() -> ConsoleSessions { ConsoleSessions(now: { [clock] in clock.timestamp }) }

    @Test("A session lives half an hour without a use, and twelve hours in any case")
    func expiry() {
        let sessions = sessions()
        let id = sessions.begin(.administrator)
        for _ in 0..<23 {
            clock.advance(by: .seconds(30 * 60))
            #expect(sessions.session(id)?.role == .administrator)
        }
        clock.advance(by: .seconds(30 * 60))
        #expect(sessions.session(id) != nil)
        clock.advance(by: .seconds(1))
        #expect(sessions.session(id) == nil)
        let idle = sessions.begin(.reader)
        clock.advance(by: .seconds(20 * 60))
        #expect(sessions.session(idle, isUse: false)?.role == .reader)
        clock.advance(by: .seconds(10 * 60 + 1))
        #expect(sessions.session(idle) == nil)
    }

    @Test("Ids and form keys are long and never the same, and another text is no session")
    func ids() {
        let sessions = sessions()
        let ids = (0..<50).map { _ in sessions.begin(.administrator) }
        #expect(Set(ids).count == 50 && ids.allSatisfy { $0.utf8.count == 43 })
        #expect(Set(ids.compactMap { sessions.session($0)?.formKey }).count == 50)
        for text in ["", "a", ids[0].lowercased() + "x"] { #expect(sessions.session(text) == nil) }
    }

    @Test("A session that was ended is over, and the others are not")
    func end() {
        let sessions = sessions()
        let (one, two) = (sessions.begin(.administrator), sessions.begin(.administrator))
        sessions.end(one)
        #expect(sessions.session(one) == nil && sessions.session(two) != nil)
    }

    @Test("Words about a change are given to the next page of their session, once")
    func notices() {
        let sessions = sessions()
        let (one, two) = (sessions.begin(.administrator), sessions.begin(.administrator))
        sessions.leave("Done.", for: one)
        sessions.leave("Lost.", for: "x")
        #expect(sessions.takeNotice(for: two) == nil && sessions.takeNotice(for: "x") == nil)
        #expect(sessions.takeNotice(for: one) == "Done." && sessions.takeNotice(for: one) == nil)
        sessions.leave("Again.", for: one)
        sessions.end(one)
        #expect(sessions.takeNotice(for: one) == nil)
    }

    @Test("Sign-ins with the token that reads only end no session of an administrator, nor the reverse")
    func roles() {
        let sessions = sessions()
        let (administrator, reader) = (sessions.begin(.administrator), sessions.begin(.reader))
        clock.advance(by: .seconds(1))
        for _ in 0...ConsoleSessions.capacity { _ = sessions.begin(.reader) }
        #expect(sessions.session(administrator)?.role == .administrator && sessions.session(reader) == nil)
        let later = sessions.begin(.reader)
        clock.advance(by: .seconds(1))
        for _ in 0...ConsoleSessions.capacity { _ = sessions.begin(.administrator) }
        #expect(sessions.session(administrator) == nil && sessions.session(later)?.role == .reader)
    }

    @Test("A page that only listens for changes does not keep its session alive")
    func listening() throws {
        let clientAddress = ClientAddress(trustedProxies: [])
        let access = ConsoleAccess(
            adminToken: RedactedString("0123456789abcdef"), readToken: nil,
            originGuard: OriginGuard(
                policy: OriginPolicy(names: [], listensOnLoopbackOnly: true), clientAddress: clientAddress),
            now: { [clock] in clock.timestamp })
        let id = access.sessions.begin(.administrator)
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "localhost", path: "/console/changes",
            headerFields: [.cookie: "pushgate-console=\(id)"])
        let isSignedIn = access.watch(Request(head: head, body: RequestBody(buffer: ByteBuffer())))
        for _ in 0..<30 {
            #expect(isSignedIn())
            clock.advance(by: .seconds(60))
        }
        clock.advance(by: .seconds(1))
        #expect(!isSignedIn())
    }

    @Test("There are never more sessions than the capacity; the one that was not used for the longest time goes")
    func capacity() {
        let sessions = sessions()
        let first = sessions.begin(.administrator)
        clock.advance(by: .seconds(1))
        let second = sessions.begin(.administrator)
        clock.advance(by: .seconds(1))
        #expect(sessions.session(first) != nil)
        for _ in 0..<ConsoleSessions.capacity - 1 { _ = sessions.begin(.administrator) }
        #expect(sessions.session(first) != nil && sessions.session(second) == nil)
    }
}
