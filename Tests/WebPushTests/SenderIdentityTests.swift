import Cryptography
import JSON
import Synchronization
import Testing

@testable import WebPush

@Suite("Identity of the sender")
struct SenderIdentityTests {
    private static let time: Int64 = 1_800_000_000
    private let key: ES256PrivateKey

    init() throws { key = try .generate() }

    /// Returns the claims of a field, after a check of its form and signature.
    private func claims(_ field: String) throws -> JSONValue {
        let publicKey = Base64URL.encode(try key.publicKey.point().bytes)
        #expect(publicKey.utf8.count == 87)
        let (start, end) = ("vapid t=", ", k=\(publicKey)")
        #expect(field.hasPrefix(start) && field.hasSuffix(end))
        let token = try #require(CompactJWS(field.dropFirst(start.count).dropLast(end.count)))
        #expect(key.publicKey.isValid(token.signature, for: token.signingInput.utf8))
        return try JSONValue(parsing: token.payload)
    }

    @Test("A token names the service, the operator, and an end within a day")
    func claims() throws {
        let identity = try SenderIdentity(key: key, subject: "mailto:ops@gate.example") { Self.time }
        let claims = try claims(identity.authorization(for: "https://web.push.apple.com"))
        #expect(claims["aud"] == "https://web.push.apple.com")
        #expect(claims["sub"] == "mailto:ops@gate.example")
        let end = try #require(claims["exp"]?.integer)
        #expect((Self.time + 12 * 3_600...Self.time + 24 * 3_600).contains(end))
    }

    @Test("A service gets the same token for hours, and then another; each service gets its own")
    func renewal() throws {
        let slot = Self.time - Self.time % SenderIdentity.slotSeconds
        let now = Mutex(slot)
        let identity = try SenderIdentity(key: key, subject: "mailto:ops@gate.example") { now.withLock { $0 } }
        let first = try identity.authorization(for: "https://a.example")
        let other = try identity.authorization(for: "https://b.example")
        #expect(first != other)
        now.withLock { $0 += SenderIdentity.slotSeconds - 1 }
        #expect(try identity.authorization(for: "https://a.example") == first)
        #expect(try claims(first)["exp"]?.integer == slot + 16 * 3_600)
        now.withLock { $0 += 1 }
        let second = try identity.authorization(for: "https://a.example")
        #expect(second != first)
        #expect(try claims(second)["exp"]?.integer == slot + 20 * 3_600)
    }

    @Test("A token that is signed at the end of its hours is used for an hour")
    func minimumUse() throws {
        let end = Self.time - Self.time % SenderIdentity.slotSeconds + SenderIdentity.slotSeconds
        let now = Mutex(end - 1)
        let identity = try SenderIdentity(key: key, subject: "mailto:ops@gate.example") { now.withLock { $0 } }
        let first = try identity.authorization(for: "https://a.example")
        now.withLock { $0 += SenderIdentity.minimumUse - 1 }
        #expect(try identity.authorization(for: "https://a.example") == first)
        now.withLock { $0 += 1 }
        let second = try identity.authorization(for: "https://a.example")
        #expect(second != first)
        #expect(try claims(second)["exp"]?.integer == end + 16 * 3_600)
    }

    @Test("Services that strangers name do not fill memory")
    func bounded() throws {
        let identity = try SenderIdentity(key: key, subject: "mailto:ops@gate.example") { Self.time }
        let first = try identity.authorization(for: "https://a.example")
        #expect(try identity.authorization(for: "https://a.example") == first)
        let apple = try identity.authorization(for: "https://web.push.apple.com")
        for index in 0..<SenderIdentity.maximumCount {
            _ = try identity.authorization(for: "https://h\(index).example")
        }
        #expect(try identity.authorization(for: "https://a.example") != first)
        // Apple refuses a sender whose token changes often.
        #expect(try identity.authorization(for: "https://web.push.apple.com") == apple)
    }
}

@Suite("Rests of hosts")
struct HostRestsTests {
    @Test("A host rests for 10 s after a failure, and twice as long after each further one, up to ten minutes")
    func doubling() {
        var (rests, now) = (HostRests(), Int64(0))
        #expect(rests.rest(of: "a", at: now) == nil)
        for seconds: Int64 in [10, 20, 40, 80, 160, 320, 600, 600] {
            rests.failed("a", at: now)
            #expect(rests.rest(of: "a", at: now) == .seconds(seconds))
            #expect(rests.rest(of: "a", at: now + seconds - 1) == .seconds(1))
            #expect(rests.rest(of: "b", at: now) == nil)
            now += seconds
            #expect(rests.rest(of: "a", at: now) == nil)
        }
        rests.answered("a")
        rests.failed("a", at: now)
        #expect(rests.rest(of: "a", at: now) == .seconds(10))
    }

    @Test("Failures of requests that were in flight together count as one")
    func together() {
        var rests = HostRests()
        for _ in 0..<4 { rests.failed("a", at: 0) }
        #expect(rests.rest(of: "a", at: 0) == .seconds(10))
    }

    @Test("A clock that is set back ends all rests")
    func clock() {
        var rests = HostRests()
        rests.failed("a", at: 10_000)
        #expect(rests.rest(of: "a", at: 0) == nil)
    }

    @Test("Many hosts do not fill memory, and do not end the rest of one that failed more often")
    func bounds() {
        var rests = HostRests()
        rests.failed("often", at: 9_990)
        rests.failed("often", at: 10_000)
        rests.failed("once", at: 10_000)
        for index in 0..<(3 * HostRests.maximumCount) { rests.failed("h\(index)", at: 10_001) }
        #expect(rests.rest(of: "once", at: 10_002) == nil)
        let known = (0..<(3 * HostRests.maximumCount)).count { rests.rest(of: "h\($0)", at: 10_002) != nil }
        #expect(known == HostRests.maximumCount - 1)
        #expect(rests.rest(of: "often", at: 10_002) == .seconds(18))
    }
}
