import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("Recording receipts")
struct ReceiptRecorderTests {
    private let address = ReceiptAddress(
        publicURL: "https://push.example.com", key: [UInt8](repeating: 7, count: 32))

    /// A recorder that keeps the events, and writes a document for each.
    private final class Recorder: DeliveryEventRecorder {
        private let kept = Mutex<[ReceiptCounts]>([])

        let isRecording = true
        var counts: [ReceiptCounts] { kept.withLock { $0 } }

        func writes(recording events: [DeliveryEvent]) -> [Write] {
            for case .receipts(_, let counts) in events { kept.withLock { $0.append(counts) } }
            return []
        }

        func recorded() {}
    }

    private func receipt(of message: String, _ kind: Receipt.Kind = .delivered, by device: String = "a") -> Receipt {
        let text = address.text(for: message)
        return Receipt(
            signedID: String(text.split(separator: "/").last ?? ""), kind: kind, device: device)
    }

    private func history(_ bench: Bench) -> DeliveryHistory { DeliveryHistory(store: bench.store) }

    private func counts(of message: String, _ bench: Bench) async throws -> ReceiptCounts? {
        try await history(bench).delivery(of: message)?.receipts
    }

    private func accept(_ bench: Bench) async throws -> String {
        let target = Target(address: PushAddress(token: "one").asking(forReceipts: true), registration: nil)
        let delivery = try await bench.outbox.accept(.sample(), to: [target])
        try await bench.settled(delivery)
        return delivery.messageID
    }

    private func withMessage(_ body: (Bench, String) async throws -> Void) async throws {
        let bench = try Bench(receipts: address)
        try await bench.running { try await body(bench, try await accept(bench)) }
    }

    @Test("A device counts once for each kind, and one that has opened a notification has got it")
    func counting() async throws {
        try await withMessage { bench, message in
            #expect(try await counts(of: message, bench) == nil)
            let events = Recorder()
            let recorder = ReceiptRecorder(address, store: bench.store, events: events)
            let repeated = receipt(of: message)
            try await recorder.record([repeated, repeated, receipt(of: message, by: "b")])
            #expect(try await counts(of: message, bench) == ReceiptCounts(delivered: 2))
            try await recorder.record([repeated, receipt(of: message, .opened, by: "c")])
            try await recorder.record([receipt(of: message, .opened, by: "c")])
            #expect(try await counts(of: message, bench) == ReceiptCounts(delivered: 3, opened: 1))
            #expect(events.counts == [ReceiptCounts(delivered: 2), ReceiptCounts(delivered: 1, opened: 1)])
        }
    }

    @Test("Receipts of a forged id, and of a message that does not exist, store nothing and keep no other from it")
    func unknown() async throws {
        try await withMessage { bench, message in
            let recorder = ReceiptRecorder(address, store: bench.store)
            try await recorder.record([
                Receipt(signedID: "\(message).AAAAAAAAAAAAAAAAAAAAAA", kind: .opened, device: "a"),
                receipt(of: "gone"), receipt(of: message),
            ])
            #expect(try await counts(of: message, bench) == ReceiptCounts(delivered: 1))
            let documents = try await bench.store.documents(matching: .collection(CollectionPath("receipts")))
            #expect(documents.map(\.path.id) == [message])
        }
    }

    @Test("A message has a limited number of devices")
    func limit() async throws {
        try await withMessage { bench, message in
            let recorder = ReceiptRecorder(address, store: bench.store)
            let devices = 0..<(ReceiptRecorder.maximumDevices + ReceiptRecorder.maximumReceipts)
            for start in stride(from: 0, to: devices.upperBound, by: ReceiptRecorder.maximumReceipts) {
                let numbers = start..<(start + ReceiptRecorder.maximumReceipts)
                try await recorder.record(numbers.map { receipt(of: message, by: "\($0)") })
            }
            #expect(try await counts(of: message, bench) == ReceiptCounts(delivered: ReceiptRecorder.maximumDevices))
        }
    }

    @Test("Receipts are deleted with their message, and later ones are not stored")
    func retention() async throws {
        try await withMessage { bench, message in
            let recorder = ReceiptRecorder(address, store: bench.store)
            try await recorder.record([receipt(of: message)])
            let clock = bench.clock
            clock.advance(by: .seconds(61))
            let retention = OutboxRetention(
                store: bench.store, maximumAge: .seconds(60), now: { clock.timestamp })
            #expect(try await retention.sweep() == 1)
            try await recorder.record([receipt(of: message, by: "b")])
            #expect(try await bench.store.count(.collection(CollectionPath("receipts"))) == 0)
        }
    }
}
