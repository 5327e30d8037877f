internal import DocumentStore
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import Messaging

/// What emulated devices received, under the admin token.
///
/// - `GET /emulator/v1/inbox?installation_id=&collapse_id=&token=&topic=&after=&wait_for=N&timeout=SECONDS`; the token as
///   an answer has it, of `token#…` the digits
/// - `DELETE /emulator/v1/inbox` forgets it all
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
        let items = await inbox.items(
            matching: filter, waitingFor: wait.count, atMost: wait.bound, clock: .continuous)
        return Response(
            json: ["timed_out": .bool(items.count < wait.count)], list: "notifications", of: items, \.json)
    }
}

extension Inbox.Item {
    /// A phone's token stays here: its fingerprint and the registration say whose it is.
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "sequence": .integer(Int64(sequence)), "id": .string(id.description),
            "received_at": .string(receivedAt.description), "token": .string(target.address.token.shown),
        ]
        object["registration"] = target.registration.map { .string($0.description) }
        object["condition"] = condition.map(JSONValue.string)
        object["message"] = message.redactedJSON
        return .object(object)
    }
}
