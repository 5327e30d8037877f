import DocumentStore
import FirestoreAPI
import HTTPTypes
import IPAddresses
import Secrets
import Server
import Settings
import Testing

@testable import FCMInterface
@testable import Gateway

@Suite("Access to Firestore's interface")
struct FirestoreAccessTests {
    private static let now: Int64 = 1_767_225_600
    private static let tokens = AccessTokens(key: [UInt8](repeating: 1, count: 32), now: { now })
    private static let adminToken = "an-admin-token-of-a-test"
    private static let app = DatabaseID(project: "demo-app")

    private static let forFirestore = tokens.token(forProject: "pushgate", scopes: [.firestore])
    private static let forMessages = tokens.token(forProject: "pushgate")
    private static let expired = AccessTokens(key: tokens.key, now: { now - 3_600 })
        .token(forProject: "pushgate", scopes: [.firestore])
    private static let ofAnother = AccessTokens(key: [UInt8](repeating: 2, count: 32), now: { now })
        .token(forProject: "pushgate", scopes: [.firestore])
    private static let ofUser = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9."

    private func access(
        isServed: Bool = true, peers: [String] = [], origins: [AllowedOrigin] = [.loopback], loopbackOnly: Bool = true
    ) throws -> FirestoreAccess {
        let clientAddress = ClientAddress(trustedProxies: [try #require(AddressRange("10.0.0.1"))])
        return FirestoreAccess(
            isServed: isServed, adminToken: RedactedString(Self.adminToken), tokens: Self.tokens,
            clientAddress: clientAddress,
            allowedPeers: try peers.map { try #require(AddressRange($0)) },
            origins: FirestoreOrigins(
                policy: OriginPolicy(names: [], listensOnLoopbackOnly: loopbackOnly), allowed: origins,
                clientAddress: clientAddress))
    }

    private func request(
        from peer: String = "127.0.0.1", token: String? = nil, fields: [String: String] = [:],
        host: String = "127.0.0.1:8080"
    ) throws -> FirestoreRequest {
        var headerFields: HTTPFields = [:]
        headerFields[.authorization] = token.map { "Bearer \($0)" }
        for (name, value) in fields { headerFields[try #require(HTTPField.Name(name))] = value }
        return FirestoreRequest(peer: IPAddress(peer), authority: host, headerFields: headerFields)
    }

    private func code(
        _ access: FirestoreAccess, _ request: FirestoreRequest, to database: DatabaseID = app
    ) -> FirestoreStatus.Code? {
        do throws(FirestoreStatus) {
            _ = try access.caller(of: request).access(to: database)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A call whose database is not known yet is refused if its client can have access to none")
    func unknownDatabase() throws {
        for token in [nil, Self.adminToken, Self.forFirestore] {
            _ = try access().knownCaller(of: request(token: token))
        }
        let strangers = [
            (try request(from: "192.0.2.1"), FirestoreStatus.Code.permissionDenied),
            (try request(token: Self.forMessages), .permissionDenied),
            (try request(token: Self.expired), .unauthenticated),
        ]
        for (request, code) in strangers {
            let refusal = #expect(throws: FirestoreStatus.self) { try access().knownCaller(of: request) }
            #expect(refusal?.code == code)
        }
    }

    @Test(
        "Without a token of the gateway, a program on its machine has full access to every database but the gateway's",
        arguments: [nil, "owner", ofUser])
    func neighbor(token: String?) throws {
        let caller = try access().caller(of: try request(token: token))
        #expect(try caller.access(to: Self.app) == .full)
        #expect(try caller.access(to: DatabaseID(project: "pushgate", database: "app")) == .full)
        #expect(code(try access(), try request(token: token), to: .gateway) == .permissionDenied)
    }

    @Test("Without a token of the gateway, a client beyond loopback has no access", arguments: [nil, "owner", ofUser])
    func stranger(token: String?) throws {
        #expect(code(try access(), try request(from: "192.0.2.1", token: token)) == .permissionDenied)
        #expect(
            code(try access(), try request(token: token, fields: ["X-Forwarded-For": "127.0.0.1"]))
                == .permissionDenied)
    }

    @Test("An allowed peer needs no token, and the address of a proxy is not that of its clients")
    func allowedPeer() throws {
        let access = try access(peers: ["172.16.0.0/12", "10.0.0.0/8"])
        #expect(code(access, try request(from: "172.18.0.5")) == nil)
        #expect(code(access, try request(from: "172.32.0.5")) == .permissionDenied)
        #expect(code(access, try request(from: "172.18.0.5"), to: .gateway) == .permissionDenied)
        let forwarded = ["X-Forwarded-For": "192.0.2.1"]
        #expect(code(access, try request(from: "10.0.0.1", fields: forwarded)) == .permissionDenied)
        #expect(code(access, try request(from: "10.0.0.2", fields: forwarded)) == .permissionDenied)
        #expect(code(access, try request(from: "10.0.0.1", fields: ["X-Forwarded-For": "172.18.0.5"])) == nil)
    }

    @Test("An access token for Firestore gives full access from everywhere, except to the gateway's own database")
    func account() throws {
        let request = try request(
            from: "192.0.2.1", token: Self.forFirestore, fields: ["Origin": "https://app.example.com"])
        #expect(try access().caller(of: request).access(to: Self.app) == .full)
        #expect(code(try access(), request, to: .gateway) == .permissionDenied)
    }

    @Test("An access token for messages alone gives no access, not even on the gateway's machine")
    func otherScope() throws {
        #expect(code(try access(), try request(token: Self.forMessages)) == .permissionDenied)
    }

    @Test("A token that the client can replace is answered UNAUTHENTICATED", arguments: [expired, ofAnother, "x"])
    func unauthenticated(token: String) throws {
        #expect(code(try access(), try request(token: token)) == .unauthenticated)
    }

    @Test("The admin token gives full access to databases, and redacted access to the gateway's own")
    func administrator() throws {
        let caller = try access().caller(of: try request(from: "192.0.2.1", token: Self.adminToken))
        #expect(try caller.access(to: Self.app) == .full)
        #expect(try caller.access(to: .gateway) == .redacted)
    }

    @Test("A gateway that does not serve the interface gives access to its own database only, with the admin token")
    func notServed() throws {
        let access = try access(isServed: false)
        for token in [nil, Self.forFirestore, Self.adminToken] {
            #expect(throws: FirestoreStatus.notServed) {
                try access.caller(of: try request(token: token)).access(to: Self.app)
            }
        }
        let caller = access.caller(of: try request(from: "192.0.2.1", token: Self.adminToken))
        #expect(try caller.access(to: .gateway) == .redacted)
        #expect(code(access, try request(), to: .gateway) == .permissionDenied)
    }

    @Test(
        "A page of another site has no access without a token",
        arguments: [
            ["Origin": "https://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
            ["Origin": "http://127.0.0.1.evil.example"],
        ])
    func foreignPage(fields: [String: String]) throws {
        let request = try request(fields: fields)
        #expect(code(try access(), request) == .permissionDenied)
        #expect(try access().origins.allowedOrigin(of: request) == nil)
    }

    @Test(
        "A page that this machine serves on any port has access, and may read the answer",
        arguments: ["http://localhost:3000", "http://127.0.0.1:5173", "http://[::1]:8000", "https://localhost"])
    func localPage(origin: String) throws {
        let request = try request(fields: ["Origin": origin, "Sec-Fetch-Site": "cross-site"])
        #expect(code(try access(), request) == nil)
        #expect(try access().origins.allowedOrigin(of: request) == origin)
        let strict = try access(origins: [.origin(try #require(WebOrigin("https://app.example.com")))])
        #expect(code(strict, request) == .permissionDenied)
    }

    @Test("A page of a listed origin has access")
    func listedPage() throws {
        let access = try access(origins: [.origin(try #require(WebOrigin("https://app.example.com")))])
        #expect(code(access, try request(fields: ["Origin": "https://app.example.com"])) == nil)
        #expect(code(access, try request(fields: ["Origin": "https://app.example.com:444"])) == .permissionDenied)
    }

    @Test("A request by a name that is not the gateway's has no access on loopback, whatever its origin")
    func rebinding() throws {
        let host = "evil.example:8080"
        #expect(code(try access(), try request(host: host)) == .permissionDenied)
        #expect(
            code(try access(), try request(fields: ["Origin": "http://localhost:3000"], host: host))
                == .permissionDenied)
        #expect(code(try access(loopbackOnly: false), try request(host: "gateway:8080")) == nil)
    }
}
