import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("Outcomes that arrive together")
struct BurstTests {
    /// A transport that holds all notifications until one thread answers them.
    private final class HeldTransport: PushTransport, PreparedMessage {
        typealias Held = (id: NotificationID, completion: @Sendable (Outcome) -> Void)

        let description = "held"
        let window: Int
        private let held = Mutex<[Held]>([])

        init(window: Int) { self.window = window }

        func prepare(_ message: OutgoingMessage) -> any PreparedMessage { self }

        func send(_ notification: OutgoingNotification) async -> Outcome {
            await withCheckedContinuation { continuation in
                hold((notification.id, { continuation.resume(returning: $0) }))
            }
        }

        func send(
            _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void
        ) {
            hold((notification.id, completion))
        }

        private func hold(_ one: Held) { held.withLock { $0.append(one) } }

        var count: Int { held.withLock(\.count) }

        func take() -> [Held] {
            held.withLock { held in
                defer { held = [] }
                return held
            }
        }
    }

    @Test("They send the next notifications of all chunks, each once and never more than the window")
    func manyChunks() async throws {
        let (clock, transport) = (ManualClock(), HeldTransport(window: 100))
        let disk = try TemporaryStore(clock: clock)
        let dispatcher = Dispatcher(
            store: disk.documents, transports: TransportTable(everythingTo: transport), clock: clock,
            now: { clock.timestamp }, logger: .silent)
        let outbox = Outbox(store: disk.documents, dispatcher: dispatcher, now: { clock.timestamp })
        var ids: Set<NotificationID> = []
        try await dispatcher.running {
            let delivery = try await outbox.accept(.sample(tokens: (0..<1_200).map { "t\($0)" }))
            try await eventually("the window is full") { transport.count == 100 }
            while ids.count < 1_200 {
                try await eventually("notifications are in flight") { transport.count > 0 }
                let held = transport.take()
                #expect(held.count <= 100)
                for one in held {
                    #expect(ids.insert(one.id).inserted)
                    one.completion(.accepted)
                }
            }
            try await eventually("all outcomes are counted") { delivery.progress.pending == 0 }
            #expect(delivery.progress.sent == 1_200)
        }
        #expect(transport.count == 0)
    }
}
