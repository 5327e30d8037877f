import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("The registration directory")
struct RegistrationDirectoryTests {
    private static let apnsToken = String(repeating: "ab", count: 32)
    private let bench: Bench

    init() throws { bench = try Bench() }

    private func directory(
        _ foreignTokens: RegistrationResolver.ForeignTokens, on store: (any DocumentStore)? = nil
    ) -> RegistrationResolver {
        let clock = bench.clock
        return RegistrationResolver(
            store: store ?? bench.store, key: RegistrationTokenKey(Array(repeating: 1, count: 32)),
            foreignTokens: foreignTokens, now: { clock.timestamp })
    }

    private func importToken(_ token: String = apnsToken, bundleID: String = "com.example.app") async throws
        -> RegistrationToken
    {
        let tokens = try await directory(.refused).importTokens(
            [token], of: .apns, for: AppIdentity(bundleID: bundleID, environment: "sandbox"))
        return try #require(tokens.first ?? nil)
    }

    @Test("A registration made for an APNs token leads to the token in its app and environment")
    func imported() async throws {
        let token = try await importToken()
        let registration = try await directory(.refused).registration(of: token).get()
        #expect(registration.token == token && registration.isStored)
        #expect(
            registration.address
                == PushAddress(
                    token: Self.apnsToken, app: AppIdentity(bundleID: "com.example.app", environment: "sandbox")))
        #expect(try await directory(.refused).registration(ofInstallation: registration.fid) == registration)
    }

    @Test("Importing the same APNs token again keeps its registration, and another app gets its own")
    func again() async throws {
        let token = try await importToken()
        #expect(try await importToken() == token)
        #expect(try await importToken(Self.apnsToken.uppercased()) == token)
        #expect(try await importToken(bundleID: "com.example.other") != token)
    }

    @Test("An invalid APNs token gets no registration, and the others of its batch do")
    func invalid() async throws {
        let tokens = try await directory(.refused).importTokens(
            ["", Self.apnsToken, "xyz", "emulated:a", String(Self.apnsToken.dropLast())], of: .apns,
            for: AppIdentity(bundleID: "a", environment: "production"))
        #expect(tokens.map { $0 != nil } == [false, true, false, false, false])
    }

    @Test("A removed registration's token stays unregistered, and a new import makes another token")
    func rotation() async throws {
        let old = try await importToken()
        let registration = try await directory(.refused).registration(of: old).get()
        _ = try await bench.store.commit([.delete(RegistrationDocuments.registration(registration.fid))])
        #expect(try await directory(.relayed).registration(of: old) == .failure(.unregistered))
        let new = try await importToken()
        #expect(new != old)
        #expect(try await directory(.relayed).registration(of: old) == .failure(.unregistered))
        #expect(try await directory(.relayed).registration(of: new).get().fid == registration.fid)
    }

    @Test("Two concurrent imports of a token make one registration")
    func together() async throws {
        let other = directory(.refused, on: bench.disk.documents)
        let theirs = Mutex<RegistrationToken?>(nil)
        bench.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in
                let tokens = try await other.importTokens(
                    [Self.apnsToken], of: .apns, for: AppIdentity(bundleID: "com.example.app", environment: "sandbox"))
                theirs.withLock { $0 = tokens[0] }
            }
        }
        let ours = try await importToken()
        #expect(theirs.withLock { $0 } == ours)
    }

    @Test("A registration removed during a new import is made again")
    func removedMeanwhile() async throws {
        let old = try await importToken()
        let fid = try await directory(.refused).registration(of: old).get().fid
        let disk = bench.disk.documents
        let isRemoved = Mutex(false)
        bench.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in
                let isDone = isRemoved.withLock { isRemoved in
                    defer { isRemoved = true }
                    return isRemoved
                }
                guard !isDone else { return }
                _ = try await disk.commit([.delete(RegistrationDocuments.registration(fid))])
            }
        }
        let new = try await importToken()
        #expect(new != old)
        let registration = try await directory(.refused).registration(of: new).get()
        #expect(registration.fid == fid)
    }

    @Test("A damaged registration is made again by a new import")
    func spoilt() async throws {
        let old = try await importToken()
        let fid = try await directory(.refused).registration(of: old).get().fid
        _ = try await bench.store.commit([.set(RegistrationDocuments.registration(fid), ["token": .integer(1)])])
        let new = try await importToken()
        #expect(try await directory(.refused).registration(of: new).get().fid == fid)
        #expect(try await importToken() == new)
    }

    @Test("An import that keeps failing on conflicts gives up after 3 commits")
    func contended() async throws {
        let commits = Mutex(0)
        bench.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in
                commits.withLock { $0 += 1 }
                throw StoreError(.alreadyExists, "there already")
            }
        }
        let error = await #expect(throws: StoreError.self) { try await importToken() }
        #expect(error?.code == .alreadyExists)
        #expect(commits.withLock { $0 } == 3)
    }

    @Test("A registration imported again survives an older unregistration of its token", arguments: [true, false])
    func lateDeath(isImportedAgain: Bool) async throws {
        let registration = try await directory(.refused).registration(of: importToken()).get()
        bench.clock.advance(by: .seconds(10))
        let death = TokenInvalidation.unregistered(since: bench.clock.timestamp)
        bench.clock.advance(by: .seconds(10))
        if isImportedAgain { #expect(try await importToken() == registration.token) }
        let clock = bench.clock
        let removed = try await RegistrationPruner(
            store: bench.store, now: { clock.timestamp }, logger: bench.log.logger
        ).remove([(registration.target, death)], RegistrationResolver.registrationFields)
        #expect(removed == (isImportedAgain ? 0 : 1))
    }

    @Test("Foreign FCM tokens are accepted, relayed or refused, and other texts are accepted or malformed")
    func foreign() async throws {
        let fcm = RegistrationToken(.foreignToken)
        let text = RegistrationToken("my-phone")
        #expect(try await directory(.accept).registration(of: text).get().address.token == text)
        #expect(try await directory(.accept).registration(of: fcm).get().isStored == false)
        #expect(try await directory(.relayed).registration(of: fcm).get().address.transport == .fcm)
        #expect(try await directory(.refused).registration(of: fcm) == .failure(.senderMismatch))
        for policy in [RegistrationResolver.ForeignTokens.relayed, .refused] {
            #expect(try await directory(policy).registration(of: text) == .failure(.malformed))
            #expect(
                try await directory(policy).registration(of: RegistrationToken(Self.apnsToken)).get().address.lane
                    .transport == .apns)
            #expect(
                try await directory(policy).registration(of: RegistrationToken("emulated:a")).get().address.lane
                    .transport == .emulated)
        }
    }
}
