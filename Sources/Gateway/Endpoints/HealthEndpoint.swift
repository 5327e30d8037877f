internal import Hummingbird
internal import JSON

/// `GET /healthz`: 200 while the gateway answers.
enum HealthEndpoint {
    static func add(to router: Router<GatewayRequestContext>) {
        router.get("/healthz") { _, _ in Response(json: ["status": "ok"]) }
    }
}
