import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Messages with an address for receipts")
struct ReceiptDispatchTests {
    private let address = ReceiptAddress(
        publicURL: "https://push.example.com", key: [UInt8](repeating: 7, count: 32))

    private func target(_ token: String, asks: Bool) -> Target {
        Target(address: PushAddress(token: token, app: AppIdentity()).asking(forReceipts: asks), registration: nil)
    }

    private func sent(_ receipts: ReceiptAddress?, asking: Bool) async throws -> [ScriptedTransport.Sent] {
        let bench = try Bench(receipts: receipts)
        try await bench.running {
            let targets = [target("one", asks: asking), target("two", asks: false)]
            try await bench.settled(try await bench.outbox.accept(.sample(), to: targets))
        }
        #expect(bench.transport.prepared == 1)
        return bench.transport.sent
    }

    @Test("A message is prepared once, with the address, if one of its targets asks for it")
    func asked() async throws {
        let sent = try await sent(address, asking: true)
        let message = try #require(sent.first?.message)
        #expect(message.receiptAddress == message.id.map { address.text(for: $0) })
        #expect(sent.filter(\.target.address.asksForReceipts).map(\.token) == ["one"])
    }

    @Test("A message to targets that do not ask for it, or of a gateway without an address, has none")
    func none() async throws {
        #expect(try await sent(address, asking: false).map(\.message.receiptAddress) == [nil, nil])
        #expect(try await sent(nil, asking: true).map(\.message.receiptAddress) == [nil, nil])
    }
}
