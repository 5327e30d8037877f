import Hummingbird
import JSON
import RequestRules
import Server
import Webhooks

/// The endpoints for webhooks. They require the admin token.
///
/// - `GET /v1/webhooks` lists them.
/// - `GET /v1/webhooks/{id}/secret` returns what its receiver checks signatures with, `{"secret"}`.
/// - `POST /v1/webhooks` with `{"url", "events"?}` makes one, and returns it with its secret.
/// - `DELETE /v1/webhooks/{id}` removes one, with the events that wait for it.
/// - `POST /v1/webhooks/{id}/test` sends an event that says that it is a test. The response is `{"id"}`.
struct WebhookEndpoints: Sendable {
    private static let members: Set<String> = ["url", "events"]
    private static let unknown = APIError.notFound(
        "there is no webhook of this id; “pushgate webhooks list” shows the ids")

    let targets: WebhookTargets
    let sender: WebhookSender

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/v1/webhooks") { _, _ in
            try await targets.refresh()
            return Response(json: ["webhooks": .array(targets.all.map { .object(json($0)) })])
        }
        router.get("/v1/webhooks/:id/secret") { _, context in
            try await targets.refresh()
            let id = try context.parameters.require("id")
            guard let target = targets.all.first(where: { $0.id == id }) else { throw Self.unknown }
            return Response(json: ["secret": .string(target.secretText)])
        }
        router.post("/v1/webhooks") { request, _ in
            let (url, kinds) = try Self.request(try await request.jsonBody())
            do {
                let target = try await targets.add(url, kinds)
                sender.notify()
                var webhook = json(target)
                webhook["secret"] = .string(target.secretText)
                return Response(json: .object(webhook))
            } catch let problem as WebhookProblem {
                throw APIError.invalidArgument(problem.text)
            }
        }
        router.delete("/v1/webhooks/:id") { _, context in
            guard try await targets.remove(try context.parameters.require("id")) else {
                throw APIError.notFound(
                    "there is no webhook of this id that was made at run time; those of the configuration are in "
                        + "webhooks.urls")
            }
            sender.notify()
            return Response(json: [:])
        }
        router.post("/v1/webhooks/:id/test") { _, context in
            try await targets.refresh()
            guard let event = try await targets.test(try context.parameters.require("id")) else { throw Self.unknown }
            sender.notify()
            return Response(json: ["id": .string(event)])
        }
    }

    private static func request(_ body: JSONValue) throws(APIError) -> (url: String, Set<WebhookEventKind>) {
        let names = body.object?.members.map(\.name) ?? []
        if let unknown = names.first(where: { !members.contains($0) }) {
            throw .invalidArgument("“\(unknown)” is not a member; the members are url and events")
        }
        guard let url = body["url"]?.string, !url.isEmpty else {
            throw .invalidArgument("url must be the address that events are sent to")
        }
        guard let value = body["events"] else { return (url, Set(WebhookEventKind.allCases)) }
        let kinds = value.array?.map { $0.string.flatMap(WebhookEventKind.init(rawValue:)) } ?? []
        guard !kinds.isEmpty, !kinds.contains(nil) else {
            let all = WebhookEventKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidArgument("events must be a list of some of \(all)")
        }
        return (url, Set(kinds.compactMap(\.self)))
    }

    private func json(_ target: WebhookTarget) -> JSONObject {
        let kinds = WebhookEventKind.allCases.filter(target.kinds.contains)
        return [
            "id": .string(target.id), "url": .string(target.url), "configured": .bool(target.isConfigured),
            "events": .array(kinds.map { .string($0.rawValue) }),
            "failures": .integer(Int64(sender.failures(of: target.id))),
        ]
    }
}
