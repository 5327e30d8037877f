import DocumentStore
import Emulator
import HTTPTypes
import Hummingbird
import JSON
import Messaging
import Server
import ServiceLifecycle

/// The endpoints for the notifications that emulated devices received. They require the admin token.
///
/// - `GET /emulator/v1/inbox?installation_id=&collapse_id=&token=&topic=&after=&wait_for=N&timeout=SECONDS` lists
///   them. `token` takes the value of a response; of `token#…` it takes only the digits.
/// - `DELETE /emulator/v1/inbox` removes all of them.
struct InboxEndpoints: Sendable {
    let inbox: Inbox

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/emulator/v1/inbox") { request, _ in try await list(request) }
        router.delete("/emulator/v1/inbox") { _, _ in
            inbox.reset()
            return Response(json: [:])
        }
    }

    private func list(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let filter = Inbox.Filter(
            registrationID: query["installation_id"].map(String.init),
            collapseID: query["collapse_id"].map(String.init),
            tokenFingerprint: query["token"].map { RegistrationToken.fingerprint(ofShown: String($0)) },
            topic: query["topic"].map(String.init),
            afterSequence: try query.integer("after", in: 0...Int.max) ?? 0)
        let wait = try EmulatorWait(query)
        let items = await wait.untilShutdown {
            await inbox.items(matching: filter, waitingFor: wait.count, atMost: wait.bound, clock: .continuous)
        }
        return Response(
            json: ["timed_out": .bool(items.count < wait.count)], list: "notifications", of: items, \.json)
    }
}

extension Inbox.Item {
    /// The notification for a response. It contains the fingerprint of a real device's token, not the token; the
    /// fingerprint and the registration identify the device.
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "sequence": .integer(Int64(sequence)), "id": .string(id.description),
            "received_at": .string(receivedAt.description), "token": .string(target.address.token.shown),
        ]
        object["registration"] = target.registration.map { .string($0.description) }
        object["condition"] = condition.map(JSONValue.string)
        object["receipt"] = receiptAddress.map(JSONValue.string)
        object["message"] = message.redactedJSON
        return .object(object)
    }
}

/// The number of messages to wait for, and the maximum time in seconds: `wait_for` and `timeout` of a query.
struct EmulatorWait {
    /// The maximum value of `timeout`, in seconds.
    private static let maximumTimeout = 60

    let count: Int
    let bound: Duration

    init(_ query: Parameters) throws(APIError) {
        count = try query.integer("wait_for", in: 1...10_000) ?? 0
        bound = .seconds(try query.integer("timeout", in: 0...Self.maximumTimeout) ?? 10)
    }

    /// Runs a wait, and ends it when the gateway stops. The client gets what there is then.
    func untilShutdown<Items: Sendable>(_ wait: @Sendable @escaping () async -> Items) async -> Items {
        await cancelWhenGracefulShutdown(wait)
    }
}
