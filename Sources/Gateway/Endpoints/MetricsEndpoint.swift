internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `GET /metrics`: all counters in [Prometheus' text format](https://prometheus.io/docs/instrumenting/exposition_formats/).
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
