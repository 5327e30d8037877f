import DocumentStore
import Messaging
import TestDoubles
import Testing

@testable import Gateway

@Suite("The dead man's switch")
struct DeadMansSwitchTests {
    /// The registrations and the messages of a gateway, whose clock a test moves.
    private struct Bench {
        static let hour = Duration.seconds(3_600)
        static let fields = RegistrationFields(token: "token")

        let clock = ManualClock()
        let log = CollectedLog()
        let disk: TemporaryStore
        let devices: DeadMansSwitch.Devices

        init(asks: Bool = true) async throws {
            disk = try TemporaryStore(clock: clock)
            devices = DeadMansSwitch.Devices(
                watched: try DocumentPath("devices/watched"), contact: try DocumentPath("devices/contact"))
            let address = PushAddress(token: "watched").asking(forReceipts: asks)
            _ = try await disk.documents.commit([
                .set(devices.watched, Self.fields.fields(of: address)),
                .set(try DocumentPath("devices/contact"), Self.fields.fields(of: PushAddress(token: "contact"))),
            ])
        }

        /// A new switch, as after a start, or of another gateway.
        func makeSwitch() -> DeadMansSwitch {
            let (clock, store) = (clock, disk.documents)
            let now: @Sendable () -> Timestamp = { clock.timestamp }
            let dispatcher = Dispatcher(
                store: store, transports: TransportTable(everythingTo: ScriptedTransport()), clock: clock, now: now,
                logger: log.logger)
            let outbox = Outbox(store: store, dispatcher: dispatcher, now: now)
            return DeadMansSwitch(
                devices, store: store, outbox: outbox,
                find: { path in
                    guard let document = try await store.document(at: path),
                        let address = Self.fields.address(in: document)
                    else { throw StoreError(.notFound, "there is no \(path)") }
                    return (Target(address: address, registration: path), Self.fields)
                }, clock: clock, now: now, logger: log.logger)
        }

        /// Returns the titles of all messages, in the order of their acceptance.
        func titles() async throws -> [String] {
            let history = DeliveryHistory(store: disk.documents)
            return try await history.page(limit: 100).records.reversed().map { $0.message.notification?.title ?? "" }
        }

        func state() async throws -> DeadMansSwitchState {
            DeadMansSwitchState(try await disk.documents.document(at: DeadMansSwitchState.path), of: devices.watched)
        }

        /// Stores the receipt of the last alert.
        func addReceipt() async throws {
            let message = try #require(try await state().message)
            let path = try DocumentPath("receipts/\(message)")
            _ = try await disk.documents.commit([.set(path, ["delivered": .array([.string("a")])])])
        }

        /// Lets an hour pass, and looks twice.
        func passHour(_ deadMansSwitch: DeadMansSwitch) async {
            clock.advance(by: Self.hour)
            await deadMansSwitch.check()
            clock.advance(by: DeadMansSwitch.checkInterval)
            await deadMansSwitch.check()
        }
    }

    private static let alert = "Notifications arrive"
    private static let report = "Notifications do not arrive"

    @Test("An alert is sent every hour at most, also after a restart and by a second gateway")
    func hourly() async throws {
        let bench = try await Bench()
        for _ in 0..<3 { await bench.makeSwitch().check() }
        #expect(try await bench.titles() == [Self.alert])
        bench.clock.advance(by: Bench.hour - .seconds(1))
        await bench.makeSwitch().check()
        #expect(try await bench.titles() == [Self.alert])
        bench.clock.advance(by: .seconds(1))
        for _ in 0..<3 { await bench.makeSwitch().check() }
        #expect(try await bench.titles() == [Self.alert, Self.alert])
    }

    @Test("Of several gateways that look at the same time, one sends")
    func several() async throws {
        let bench = try await Bench()
        await withDiscardingTaskGroup { group in
            for _ in 0..<8 {
                let deadMansSwitch = bench.makeSwitch()
                group.addTask { await deadMansSwitch.check() }
            }
        }
        #expect(try await bench.titles() == [Self.alert])
    }

    @Test("After three alerts without a receipt the other device is told once, and a receipt ends it")
    func silence() async throws {
        let bench = try await Bench()
        let deadMansSwitch = bench.makeSwitch()
        await deadMansSwitch.check()
        for hours in 1...2 {
            await bench.passHour(deadMansSwitch)
            #expect(try await bench.state().missed == hours)
        }
        #expect(try await !bench.titles().contains(Self.report))
        for _ in 3...5 { await bench.passHour(bench.makeSwitch()) }
        #expect(try await bench.state().missed == 5)
        #expect(try await bench.titles().filter { $0 == Self.report }.count == 1)

        try await bench.addReceipt()
        await deadMansSwitch.check()
        #expect(try await bench.state().missed == 0)
        for _ in 0..<4 { await bench.passHour(deadMansSwitch) }
        #expect(try await bench.titles().filter { $0 == Self.report }.count == 2)
    }

    @Test("With a receipt for each alert nobody is told")
    func receipts() async throws {
        let bench = try await Bench()
        let deadMansSwitch = bench.makeSwitch()
        await deadMansSwitch.check()
        for _ in 0..<5 {
            try await bench.addReceipt()
            await deadMansSwitch.check()
            await bench.passHour(deadMansSwitch)
        }
        #expect(try await bench.state().missed == 0)
        #expect(try await bench.titles() == Array(repeating: Self.alert, count: 6))
    }

    @Test("A device that does not ask for receipts gets no alert, and the other one is told")
    func notAsking() async throws {
        let bench = try await Bench(asks: false)
        let deadMansSwitch = bench.makeSwitch()
        await deadMansSwitch.check()
        for _ in 0..<4 { await bench.passHour(deadMansSwitch) }
        #expect(try await bench.titles() == [Self.report])
        #expect(bench.log.lines.contains { $0.contains("no registration that asks for receipts") })
    }

    @Test("The state of another device does not count")
    func otherDevice() async throws {
        let bench = try await Bench()
        let deadMansSwitch = bench.makeSwitch()
        await deadMansSwitch.check()
        for _ in 0..<2 { await bench.passHour(deadMansSwitch) }
        let document = try await bench.disk.documents.document(at: DeadMansSwitchState.path)
        let other = DeadMansSwitchState(document, of: try DocumentPath("devices/other"))
        #expect(other.missed == 0 && other.sentAt == nil && other.message == nil)
    }
}
