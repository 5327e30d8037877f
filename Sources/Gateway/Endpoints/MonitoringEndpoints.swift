import DocumentStore
import HTTPTypes
import Hummingbird
import JSON
import NIOCore

/// The health checks: `GET /healthz` for process supervisors, and `GET /health`, with the time, for the systems'
/// apps.
enum HealthEndpoint {
    static func add(to router: Router<GatewayRequestContext>) {
        router.get("/healthz") { _, _ in Response(json: ["status": "ok"]) }
        router.get("/health") { _, _ in
            Response(json: ["status": "ok", "timestamp": .string(Timestamp.now.description)])
        }
    }
}

/// The endpoint `GET /metrics`: all metrics in [Prometheus' text
/// format](https://prometheus.io/docs/instrumenting/exposition_formats/).
struct MetricsEndpoint: Sendable {
    let registry: PrometheusRegistry
    let space: DiskSpace

    func add(to router: Router<GatewayRequestContext>) {
        router.get("/metrics") { _, _ in
            space.refresh()
            let headers: HTTPFields = [.contentType: "text/plain; version=0.0.4; charset=utf-8"]
            return Response(
                status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: registry.text)))
        }
    }
}
