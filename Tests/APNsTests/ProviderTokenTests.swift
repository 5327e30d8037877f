import Cryptography
import JSON
import Synchronization
import Testing

@testable import APNs

@Suite("The provider token")
struct ProviderTokenTests {
    private let key: ES256PrivateKey
    private let time = TestTime()

    init() throws { key = try ES256PrivateKey.generate() }

    private var source: ProviderTokenSource {
        let app = APNsApp(bundleID: "com.example.app", key: key, keyID: "KEY1234567", teamID: "TEAM123456")
        return ProviderTokenSource(app, now: { [time] in time.seconds })
    }

    @Test("The provider token is a JWT with Apple's claims and a valid raw signature")
    func form() throws {
        time.seconds = 1_700_001_234
        let authorization = try source.authorization()
        try #require(authorization.hasPrefix("bearer "))
        let parts = authorization.dropFirst("bearer ".count).split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let header = try JSONValue(parsing: try #require(Base64URL.decode(parts[0])))
        let claims = try JSONValue(parsing: try #require(Base64URL.decode(parts[1])))
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(header == ["alg": "ES256", "kid": "KEY1234567"])
        #expect(claims == ["iss": "TEAM123456", "iat": 1_700_001_000])
        #expect(signature.count == 64)
        #expect(key.publicKey.isValid(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test("The provider token stays the same within a half hour of the clock and is never older")
    func slots() throws {
        let source = source
        time.seconds = 1_800 * 1_000
        let first = try source.authorization()
        time.seconds += 1_799
        #expect(try source.authorization() == first)
        time.seconds += 1
        #expect(try source.authorization() != first)
    }

    @Test(
        "Processes that start at different moments use the same issue time for the provider token",
        arguments: [0, 1, 900, 1_799] as [Int64])
    func agreement(offset: Int64) {
        #expect(ProviderToken.issuedAt(1_800 * 1_000 + offset) == 1_800 * 1_000)
    }
}

/// A clock that stands still until a test sets it.
final class TestTime: Sendable {
    private let value = Mutex<Int64>(0)

    var seconds: Int64 {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
