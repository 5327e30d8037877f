import Foundation
import Synchronization
import Testing

@testable import PushgateClient

@Suite("Receipts of an app")
struct ReceiptReporterTests {
    /// A gateway that records the bodies of receipts, and may be out of reach.
    private final class Gateway: HTTPSending {
        private let state = Mutex((requests: [GatewayRequest](), status: Int?.some(204)))

        var requests: [GatewayRequest] { state.withLock(\.requests) }

        func answer(_ status: Int?) { state.withLock { $0.status = status } }

        func send(_ request: GatewayRequest) async throws -> GatewayResponse {
            let status = state.withLock { state in
                state.requests.append(request)
                return state.status
            }
            guard let status else { throw URLError(.notConnectedToInternet) }
            return GatewayResponse(status: status)
        }

        /// The receipts of each request, as `ID KIND`, and the names of the devices.
        func receipts() throws -> (texts: [[String]], devices: Set<String>) {
            var (texts, devices): ([[String]], Set<String>) = ([], [])
            for request in requests {
                let body = try JSONDecoder().decode([String: [[String: String]]].self, from: request.body)
                let receipts = body["receipts"] ?? []
                texts.append(receipts.map { "\($0["id"] ?? "") \($0["kind"] ?? "")" })
                devices.formUnion(receipts.compactMap { $0["device"] })
            }
            return (texts, devices)
        }
    }

    private func receipt(_ id: String) throws -> NotificationReceipt {
        try #require(
            NotificationReceipt(userInfo: [
                "aps": ["alert": "x"], "pushgate_receipt": "https://push.example.com/gate/v1/receipts/\(id)",
            ]))
    }

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("receipts.json"))
    }

    @Test("The address of a notification has an endpoint and an id, and no other text is one")
    func address() throws {
        let receipt = try receipt("m1.sig")
        #expect(receipt.endpoint.absoluteString == "https://push.example.com/gate/v1/receipts")
        #expect(receipt.id == "m1.sig")
        let base = "push.example.com/v1/receipts"
        for text in ["", "m1.sig", "/v1/receipts/m1.sig", "ftp://\(base)/m1.sig", "https://\(base)/"] {
            #expect(NotificationReceipt(userInfo: ["pushgate_receipt": text]) == nil, "\(text)")
        }
        #expect(NotificationReceipt(userInfo: ["aps": ["alert": "x"]]) == nil)
    }

    @Test("A receipt is sent once, also by a reporter of another process with the same file and name")
    func once() async throws {
        try await withFile { file in
            let gateway = Gateway()
            let (app, other) = (
                ReceiptReporter(file: file, http: gateway), ReceiptReporter(file: file, http: gateway)
            )
            for reporter in [app, other, app] {
                #expect(try await reporter.report(.delivered, receipt("m1.sig")))
            }
            #expect(try await other.report(.opened, receipt("m1.sig")))
            let sent = try gateway.receipts()
            #expect(sent.texts == [["m1.sig delivered"], ["m1.sig opened"]] && sent.devices.count == 1)
            #expect(gateway.requests.first?.url.absoluteString == "https://push.example.com/gate/v1/receipts")
        }
    }

    @Test("Receipts that could not be sent go together with the next one", arguments: [nil, 429, 503])
    func batch(status: Int?) async throws {
        try await withFile { file in
            let gateway = Gateway()
            gateway.answer(status)
            let reporter = ReceiptReporter(file: file, http: gateway)
            #expect(try await !reporter.report(.delivered, receipt("m1.sig")))
            gateway.answer(204)
            #expect(try await reporter.report(.delivered, receipt("m2.sig")))
            #expect(await reporter.sendWaiting())
            let sent = try gateway.receipts().texts
            #expect(sent == [["m1.sig delivered"], ["m1.sig delivered", "m2.sig delivered"]])
        }
    }
}
