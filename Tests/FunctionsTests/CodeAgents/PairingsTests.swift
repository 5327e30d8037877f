import DocumentStore
import Messaging
import Synchronization
import TestDoubles
import Testing

@testable import Functions

@Suite("Codes that pair a device")
struct PairingsTests {
    private static let agent = PairedAgent(serverKey: Call.serverKey, cwd: "/srv/app", displayName: "My agent")

    private let clock: ManualClock
    private let disk: TemporaryStore
    private let store: ObservedStore
    private let pairings: Pairings

    init() throws {
        let clock = ManualClock()
        self.clock = clock
        disk = try TemporaryStore(clock: clock)
        store = ObservedStore(disk.documents)
        pairings = Pairings(store: store, now: { clock.timestamp })
    }

    private func documents(in collection: String) async throws -> [Document] {
        try await disk.documents.documents(matching: .collection(CollectionPath(collection)))
    }

    // MARK: The text

    @Test(
        "A code is the base 32 of its bits",
        arguments: [
            (Array(repeating: 0, count: 16), "00000000000000000000000000"),
            (Array(repeating: 255, count: 16), "ZZZZZZZZZZZZZZZZZZZZZZZZZW"),
            (Array(0..<16), "000G40R40M30E209185GR38E1W"),
        ] as [([UInt8], String)])
    func text(bytes: [UInt8], text: String) {
        let code = PairingCode { count in
            #expect(count == 16)
            return bytes
        }
        #expect(code.text == text)
        #expect(PairingCode(text)?.text == text)
    }

    @Test("A code is read in any case, with hyphens and spaces, and with letters that look like its digits")
    func typed() {
        let text = "000G40R40M30E209185GR38E1W"
        #expect(PairingCode { _ in Array(0..<16) }.grouped == "000G4-0R40M-30E20-9185G-R38E1-W")
        for typed in [
            "000g4-0r40m-30e20-9185g-r38e1-w", " 000G4 0R40M 30E20 9185G R38E1 W", "OoOG4OR4OM3OE2O9I85GR38ElW",
        ] {
            #expect(PairingCode(typed)?.text == text, "\(typed)")
        }
        let rest = String(text.dropFirst())
        for wrong in ["", rest, text + "0", text.replacing("G", with: "U"), "é" + rest] {
            #expect(PairingCode(wrong) == nil, "\(wrong)")
        }
    }

    @Test("Codes and credentials are random, and are not in their descriptions")
    func secrecy() {
        let codes = Set((0..<100).map { _ in PairingCode().text })
        let credentials = Set((0..<100).map { _ in DeviceCredential().text })
        #expect(codes.count == 100 && credentials.count == 100)
        let (code, credential) = (PairingCode(), DeviceCredential())
        var dumped = ""
        dump(code, to: &dumped)
        dump(credential, to: &dumped)
        for text in ["\(code)", String(reflecting: code), "\(credential)", String(reflecting: credential), dumped] {
            #expect(!text.contains(code.text) && !text.contains(credential.text))
        }
        #expect(credential.text.hasPrefix("pgd_") && credential.text.utf8.count == 47)
    }

    // MARK: The exchange

    @Test("A code is exchanged for a credential of its agent, and only digests of both are stored")
    func exchange() async throws {
        let made = try await pairings.makeCode(for: Self.agent)
        #expect(made.expiresAt == clock.timestamp.adding(.seconds(600)))
        let stored = try #require(try await documents(in: "pairings").first)
        #expect(stored.path.id == made.code.digest && !"\(stored)".contains(made.code.text))
        let new = try #require(try await pairings.exchange(made.code))
        #expect(new.device.agent == Self.agent)
        #expect(try await documents(in: "pairings").isEmpty)
        let device = try #require(try await documents(in: "pairedDevices").first)
        #expect(device.path.id == new.credential.digest && !"\(device)".contains(new.credential.text))
        let known = try #require(try await pairings.device(withDigest: new.credential.digest))
        #expect(known.agent == Self.agent && known.installationID == new.device.installationID)
        #expect(known.installationID.hasPrefix("web-"))
    }

    @Test("A code is exchanged once")
    func once() async throws {
        let code = try await pairings.makeCode(for: Self.agent).code
        #expect(try await pairings.exchange(code) != nil)
        #expect(try await pairings.exchange(code) == nil)
        #expect(try await documents(in: "pairedDevices").count == 1)
    }

    @Test("Of callers that exchange a code at once, one gets a credential, although all have found it good")
    func race() async throws {
        let code = try await pairings.makeCode(for: Self.agent).code
        let gate = Gate()
        store.set { hooks in hooks.beforeCommit = { _ throws(StoreError) in await gate.pass() } }
        let results = try await withThrowingTaskGroup(of: Bool.self) { group -> [Bool] in
            for _ in 0..<8 { group.addTask { [pairings] in try await pairings.exchange(code) != nil } }
            try await eventually("all wait to commit") { gate.waiting == 8 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 } == 1)
        #expect(try await documents(in: "pairedDevices").count == 1)
    }

    @Test("A code is good until ten minutes are over, and is removed after that")
    func expiry() async throws {
        let (first, second) = (
            try await pairings.makeCode(for: Self.agent).code, try await pairings.makeCode(for: Self.agent).code
        )
        clock.advance(by: .seconds(599))
        #expect(try await pairings.removeExpiredCodes() == 0)
        #expect(try await pairings.exchange(first) != nil)
        clock.advance(by: .seconds(1))
        #expect(try await pairings.exchange(second) == nil)
        clock.advance(by: .seconds(1))
        #expect(try await pairings.removeExpiredCodes() == 1)
        #expect(try await documents(in: "pairings").isEmpty)
        #expect(try await documents(in: "pairedDevices").count == 1)
    }

    @Test("A caller learns if the code is good before the exchange, which reads it once, and can still leave it unused")
    func judged() async throws {
        let code = try await pairings.makeCode(for: Self.agent).code
        let reads = Tally()
        store.set { hooks in hooks.beforeRead = { _ throws(StoreError) in reads.add() } }
        await #expect(throws: CancellationError.self) {
            try await pairings.exchange(code) { isGood in
                #expect(isGood)
                throw CancellationError()
            }
        }
        #expect(try await documents(in: "pairings").count == 1)
        var judged: [Bool] = []
        let devices = [
            try await pairings.exchange(code) { judged.append($0) },
            try await pairings.exchange(code) { judged.append($0) },
        ]
        #expect(devices.map { $0 != nil } == [true, false] && judged == [true, false])
        #expect(reads.count == 3)
    }

    @Test("An unknown code is exchanged for nothing")
    func unknown() async throws {
        _ = try await pairings.makeCode(for: Self.agent)
        #expect(try await pairings.exchange(PairingCode()) == nil)
        #expect(try await documents(in: "pairings").count == 1)
    }

    @Test("A code stays good if its exchange cannot be stored")
    func fullDisk() async throws {
        let code = try await pairings.makeCode(for: Self.agent).code
        store.set { hooks in hooks.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        await #expect(throws: StoreError.self) { try await pairings.exchange(code) }
        store.set { $0 = ObservedStore.Hooks() }
        #expect(try await pairings.exchange(code) != nil)
    }

    // MARK: Devices

    @Test("A device is forgotten with its credential")
    func forget() async throws {
        let new = try await pairings.admit(to: Self.agent)
        #expect(try await pairings.forget(new.device.id) == 0)
        #expect(try await pairings.device(withDigest: new.credential.digest) == nil)
        for unknown in [new.device.id, "", "a/b"] { #expect(try await pairings.forget(unknown) == nil) }
    }

    @Test("A device is forgotten with its subscription in one commit")
    func forgetSubscribed() async throws {
        let device = try await pairings.admit(to: Self.agent).device
        _ = try await disk.documents.commit([.create(try device.registration, [:])])
        store.set { hooks in hooks.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        await #expect(throws: StoreError.self) { try await pairings.forget(device.id) }
        #expect(try await pairings.device(withDigest: device.id) != nil)
        #expect(try await disk.documents.document(at: device.registration) != nil)
        store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.count == 2 else { throw StoreError.diskFull }
            }
        }
        #expect(try await pairings.forget(device.id) == 1)
        #expect(try await pairings.device(withDigest: device.id) == nil)
        #expect(try await disk.documents.document(at: device.registration) == nil)
    }

    /// Returns the writes that give a device a registration token.
    private func token(of device: PairedDevice) throws -> [Write] {
        let owner = try pairings.owner(of: device).path
        return [
            .create(try DocumentPath("registrations/fid"), ["owner": .string(owner.description)]),
            .update(owner, ["registration": "fid"]),
        ]
    }

    @Test("A device's registration token ends when it is forgotten, and when it is not used", arguments: [false, true])
    func registrationToken(isForgotten: Bool) async throws {
        let device = try await pairings.admit(to: Self.agent).device
        _ = try await disk.documents.commit(try token(of: device))
        if isForgotten {
            #expect(try await pairings.forget(device.id) == 0)
        } else {
            clock.advance(by: .seconds(1))
            #expect(try await pairings.removeDevices(unusedSince: clock.timestamp) == 1)
        }
        #expect(try await disk.documents.collectionIDs(below: nil).isEmpty)
    }

    @Test("A registration token that a device gets while it is forgotten ends too")
    func tokenMeanwhile() async throws {
        let device = try await pairings.admit(to: Self.agent).device
        let writes = try token(of: device)
        clock.advance(by: .seconds(1))
        let count = Mutex(0)
        store.set { hooks in
            hooks.beforeCommit = { [disk] _ throws(StoreError) in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { _ = try await disk.documents.commit(writes) }
            }
        }
        #expect(try await pairings.forget(device.id) == 0)
        #expect(count.withLock { $0 } == 2)
        #expect(try await disk.documents.collectionIDs(below: nil).isEmpty)
    }

    @Test("A device is removed when its credential has not been used for the given time")
    func unused() async throws {
        let (used, unused) = (try await pairings.admit(to: Self.agent), try await pairings.admit(to: Self.agent))
        clock.advance(by: .seconds(1))
        _ = try await store.commit([try pairings.use(of: used.device)])
        #expect(try await pairings.device(withDigest: used.device.id)?.usedAt == clock.timestamp)
        #expect(try await pairings.removeDevices(unusedSince: clock.timestamp) == 1)
        #expect(try await pairings.device(withDigest: unused.device.id) == nil)
        #expect(try await pairings.devices(limit: 10).devices.map(\.id) == [used.device.id])
    }

    @Test("A use of a credential that has ended fails its commit")
    func useOfEnded() async throws {
        let device = try await pairings.admit(to: Self.agent).device
        _ = try await pairings.forget(device.id)
        let error = await #expect(throws: StoreError.self) {
            try await store.commit([.set(try DocumentPath("a/b"), [:]), try pairings.use(of: device)])
        }
        #expect(error?.code == .notFound)
        #expect(try await documents(in: "a").isEmpty)
        #expect(try await documents(in: "pairedDevices").isEmpty)
    }

    @Test("A device that is used during the clean-up stays")
    func usedMeanwhile() async throws {
        let device = try await pairings.admit(to: Self.agent).device
        clock.advance(by: .seconds(100 * 86_400))
        let path = try DocumentPath("pairedDevices/\(device.id)")
        store.set { hooks in
            hooks.beforeCommit = { [disk, clock] _ throws(StoreError) in
                _ = try await disk.documents.commit([.merge(path, ["usedAt": .timestamp(clock.timestamp)])])
            }
        }
        #expect(try await pairings.removeDevices(unusedSince: clock.timestamp) == 0)
        #expect(try await documents(in: "pairedDevices").count == 1)
    }

    @Test("Devices are listed page by page with the newest first, also those that were paired at the same time")
    func list() async throws {
        var ids: [String] = []
        for _ in 0..<3 {
            let pair = [try await pairings.admit(to: Self.agent), try await pairings.admit(to: Self.agent)]
            ids = pair.map(\.device.id).sorted(by: >) + ids
            clock.advance(by: .seconds(1))
        }
        var (place, found): (String?, [[String]]) = (nil, [])
        repeat {
            let page = try await pairings.devices(after: place, limit: 3)
            found.append(page.devices.map(\.id))
            // A place counts without its device.
            _ = try await pairings.forget(page.devices.last?.id ?? "")
            place = page.next
        } while place != nil && found.count < 4
        #expect(found == [Array(ids[..<3]), Array(ids[3...]), []])
    }

    @Test(
        "A text that is no place in the list of devices is an error",
        arguments: ["x", "/", "x/y", "2026-01-01T00:00:00Z/a/b"])
    func unknownPlace(place: String) async throws {
        let error = await #expect(throws: StoreError.self) { try await pairings.devices(after: place, limit: 1) }
        #expect(error?.code == .invalidArgument)
    }
}
