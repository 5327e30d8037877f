import DocumentStore
import Functions
import Messaging
import Synchronization
import TestDoubles
import Testing

@testable import Instance

@Suite("Nearly full disk", .timeLimit(.minutes(10)))
struct AdmissionTests {
    /// A disk whose free space a test sets, and the clock of the checks.
    private final class Disk: Sendable {
        let free = Mutex<Int64>(1_000)
        let reads = Mutex(0)
        let time = Mutex(ContinuousClock.now)
        let log = CollectedLog()

        func space(minimum: Int64 = 500) -> DiskSpace {
            DiskSpace(
                reserve: SpaceReserve(minimumFree: minimum),
                space: { () throws(SystemError) in
                    self.reads.withLock { $0 += 1 }
                    let free = self.free.withLock(\.self)
                    guard free >= 0 else { throw SystemError(code: 5) }
                    return FileSystemSpace(free: free, size: 10_000)
                }, reusable: { 0 }, now: { self.time.withLock(\.self) }, logger: log.logger)
        }

        func set(_ bytes: Int64, after seconds: Int = 1) {
            free.withLock { $0 = bytes }
            time.withLock { $0 += .seconds(seconds) }
        }
    }

    private static let document = Result { try DocumentPath("rooms/1") }

    @Test("A store on a nearly full disk refuses new data, allows deletes, and recovers with free space")
    func store() async throws {
        let disk = Disk()
        let path = try Self.document.get()
        let files = try TemporaryStore(clock: ManualClock())
        let store = AdmittingStore(base: files.documents, space: disk.space())
        _ = try await store.commit([.set(path, ["a": .integer(1)])])
        disk.set(499)
        for write in [
            Write.set(path, [:]), .merge(path, ["b": .integer(1)]), .create(try DocumentPath("rooms/2"), [:]),
        ] {
            let error = await #expect(throws: StoreError.self) { try await store.commit([.delete(path), write]) }
            #expect(error?.code == .resourceExhausted && error?.message.contains("data.minimumFreeBytes") == true)
        }
        #expect(try await store.document(at: path)?["a"] == .integer(1))
        _ = try await store.commit([.merge(path, [:], precondition: .exists(true)), .delete(path)])
        #expect(try await store.document(at: path) == nil)
        disk.set(500)
        _ = try await store.commit([.set(path, ["a": .integer(1)])])
        #expect(try await files.documents.document(at: path) != nil)
    }

    @Test("A database for Firestore's clients refuses new data with a code that they do not retry on")
    func engine() async throws {
        let disk = Disk()
        let path = try Self.document.get()
        let files = try TemporaryStore(clock: ManualClock())
        let engine = AdmittingEngine(base: files.engine, space: disk.space())
        let store = engine.store(for: DatabaseID(project: "demo-app"))
        _ = try await store.commit([.set(path, ["a": .integer(1)])])
        disk.set(499)
        let reads = TransactionReads(at: store.readTime)
        let plain = await #expect(throws: StoreError.self) { try await store.commit([.set(path, [:])]) }
        let checked = await #expect(throws: StoreError.self) {
            try await store.commit([.set(path, [:])], ifUnchanged: reads)
        }
        #expect(plain?.code == .failedPrecondition && checked?.code == .failedPrecondition)
        try await engine.removeAll(from: DatabaseID(project: "demo-app"))
        #expect(try await store.document(at: path) == nil)
    }

    @Test("A disk that is full in spite of the check gives Firestore's clients the same code")
    func fullDisk() async throws {
        let path = try Self.document.get()
        let files = try TemporaryStore(clock: ManualClock())
        let full = ObservedStore(files.documents)
        full.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        for (refusal, expected) in [
            (StoreError.Code.failedPrecondition, StoreError.Code.failedPrecondition),
            (.resourceExhausted, .resourceExhausted),
        ] {
            let store = AdmittingStore(base: full, space: Disk().space(), refusalCode: refusal)
            let reads = TransactionReads(at: store.readTime)
            let plain = await #expect(throws: StoreError.self) { try await store.commit([.set(path, [:])]) }
            let checked = await #expect(throws: StoreError.self) {
                try await store.commit([.set(path, [:])], ifUnchanged: reads)
            }
            #expect(plain?.code == expected && checked?.code == expected && plain?.message == "the disk is full")
        }
        // Other errors stay as they are.
        full.set { $0.beforeCommit = { _ throws(StoreError) in throw StoreError(.unavailable, "busy") } }
        let store = AdmittingStore(base: full, space: Disk().space(), refusalCode: .failedPrecondition)
        let error = await #expect(throws: StoreError.self) { try await store.commit([.set(path, [:])]) }
        #expect(error?.code == .unavailable)
    }

    @Test("Free space is read at most once a second, and a shortage is logged once a minute and at its end")
    func cost() throws {
        let disk = Disk()
        let space = disk.space()
        for _ in 0..<1_000 { try space.admit() }
        #expect(disk.reads.withLock(\.self) == 1)
        for _ in 0..<59 {
            disk.set(0)
            #expect(throws: StoreError.self) { try space.admit() }
        }
        #expect(disk.log.lines.count { $0.contains("refusing new data") } == 1)
        disk.set(0, after: 60)
        #expect(throws: StoreError.self) { try space.admit() }
        #expect(disk.log.lines.count { $0.contains("refusing new data") } == 2)
        disk.set(1_000)
        try space.admit()
        #expect(disk.log.lines.count { $0.contains("accepting new data again") } == 1)
    }

    @Test("A disk whose free space is unknown refuses nothing")
    func unknown() throws {
        let disk = Disk()
        disk.set(-1)
        try disk.space().admit()
        #expect(disk.log.lines.count { $0.contains("failed to read the free disk space") } == 1)
    }

    @Test("On a nearly full disk accepted messages are settled, unregistered and swept, and new ones are refused")
    func messages() async throws {
        let disk = Disk()
        let clock = ManualClock()
        let files = try TemporaryStore(clock: clock)
        let gate = Gate()
        let dispatcher = Dispatcher(
            store: files.documents,
            transports: TransportTable(
                everythingTo: ScriptedTransport { _ in
                    await gate.pass()
                    return .dead
                }), clock: clock, now: { clock.timestamp }, logger: .silent)
        let outbox = Outbox(
            store: AdmittingStore(base: files.documents, space: disk.space()), dispatcher: dispatcher,
            now: { clock.timestamp })
        let phone = try DocumentPath("devices/phone")
        _ = try await files.documents.commit([.set(phone, ["token": "dead"])])
        let draft = Draft(message: Message(), source: "test", registrationFields: RegistrationFields(token: "token"))
        let target = Target(address: PushAddress(token: "dead"), registration: phone)
        try await dispatcher.running {
            let delivery = try await outbox.accept(draft, to: [target])
            try await eventually("the message is in flight") { gate.waiting == 1 }
            disk.set(0)
            let error = await #expect(throws: StoreError.self) { try await outbox.accept(draft, to: [target]) }
            #expect(error?.code == .resourceExhausted)
            gate.open()
            try await eventually("it is settled") { delivery.progress.pending == 0 && delivery.progress.pruned == 1 }
            #expect(try await files.documents.document(at: phone) == nil)
        }
        clock.advance(by: .seconds(8 * 86_400))
        let retention = OutboxRetention(
            store: files.documents, maximumAge: .seconds(7 * 86_400), now: { clock.timestamp })
        #expect(try await retention.sweep() == 1)
    }

    @Test("On a nearly full disk files cannot be written, and can be read and removed")
    func files() async throws {
        let disk = Disk()
        try await withDataDirectory { path in
            let files = AdmittingFiles(
                base: FolderFiles("photos", in: try DataDirectory(creating: path)), space: disk.space())
            try await files.write([1, 2], to: "a.jpg", in: "one")
            disk.set(0)
            let error = await #expect(throws: FileStorageError.self) {
                try await files.write([1], to: "b.jpg", in: "one")
            }
            #expect(error?.isOutOfRoom == true)
            #expect(try await files.contents(of: "a.jpg", in: "one", 0..<9) == [1, 2])
            try await files.remove("a.jpg", in: "one")
            #expect(try await files.size(of: "a.jpg", in: "one") == nil)
        }
    }
}
