internal import DocumentStore
internal import Hummingbird
internal import JSON

/// Whether the gateway answers: `GET /healthz` for what supervises it, and `GET /health` with the time, as apps of the
/// systems ask.
enum HealthEndpoint {
    static func add(to router: Router<GatewayRequestContext>) {
        router.get("/healthz") { _, _ in Response(json: ["status": "ok"]) }
        router.get("/health") { _, _ in
            Response(json: ["status": "ok", "timestamp": .string(Timestamp.now.description)])
        }
    }
}
