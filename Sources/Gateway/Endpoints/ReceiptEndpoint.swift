import DocumentStore
import Functions
import HTTPTypes
import Hummingbird
import Instance
import JSON
import Logging
import Messaging
import RequestRules
import Server

/// The endpoint `POST /v1/receipts`, to which apps report what has arrived. It requires nothing: the ids are signed.
///
/// The body is `{"receipts": [{"id", "kind", "device"?}]}`, of any media type, so that a page of another origin can
/// send it without asking before. The answer is 204 always: a stranger learns nothing from it, and no app has to send
/// it again.
struct ReceiptEndpoint: Sendable {
    private static let maximumBodyBytes = 32 * 1_024
    private static let longestID = 256
    private static let longestDevice = 128

    /// The recorder; `nil` if the gateway does not know its address, so that no app has an id.
    let recorder: ReceiptRecorder?
    let limiter: FixedWindowLimiter
    let clientAddress: ClientAddress
    let now: @Sendable () -> Timestamp
    let logger: Logger

    func add(to router: Router<GatewayRequestContext>) {
        router.post(RouterPath(ReceiptAddress.path)) { request, context in
            await take(request, context)
            return Response(status: .noContent)
        }
    }

    private func take(_ request: Request, _ context: GatewayRequestContext) async {
        guard let body = try? await request.wholeBody(maximumBytes: Self.maximumBodyBytes), let recorder,
            let json = try? JSONValue(parsing: body)
        else { return ReceiptMetrics.refused("invalid", 1) }
        let elements = (json["receipts"]?.array ?? []).prefix(ReceiptRecorder.maximumReceipts)
        let receipts = elements.compactMap(Self.receipt)
        if receipts.count < elements.count { ReceiptMetrics.refused("invalid", elements.count - receipts.count) }
        guard !receipts.isEmpty else { return }
        let client = clientAddress.client(of: request, context)?.limitKey ?? "unknown"
        guard limiter.admit(client, count: receipts.count, at: now().seconds) == nil else {
            return ReceiptMetrics.refused("limited", receipts.count)
        }
        do throws(StoreError) {
            try await recorder.record(receipts)
        } catch {
            ReceiptMetrics.refused("unavailable", receipts.count)
            logger.debug("failed to store receipts", metadata: ["error": "\(error)"])
        }
    }

    private static func receipt(_ json: JSONValue) -> Receipt? {
        guard let id = json["id"]?.string, id.utf8.count <= longestID,
            let kind = json["kind"]?.string.flatMap(Receipt.Kind.init(rawValue:))
        else { return nil }
        let device = json["device"]?.string ?? ""
        guard device.utf8.count <= longestDevice else { return nil }
        return Receipt(signedID: id, kind: kind, device: device)
    }
}

extension ReceiptEndpoint {
    init(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery,
        _ checks: RequestChecks, _ logger: Logger
    ) {
        self.init(
            recorder: delivery.receiptAddress.map {
                ReceiptRecorder($0, store: storage.admitting, events: delivery.webhooks.recorder)
            },
            limiter: FixedWindowLimiter(limit: configuration.receipts.perMinutePerAddress, everySeconds: 60),
            clientAddress: checks.originGuard.clientAddress, now: { .now }, logger: logger)
    }
}
