import DocumentStore
import HTTPTypes
import Hummingbird
import IPAddresses
import Instance
import JSON
import Messaging
import Metrics
import NIOCore
import RequestRules
import Server

/// The health checks: `GET /healthz` for process supervisors, and `GET /health`, with the time, for the systems'
/// apps.
///
/// `GET /healthz?challenge=TEXT` also answers a proof that this gateway answers, for ``Doctor`` and for verbs, which
/// have the same key.
struct HealthEndpoint: Sendable {
    let key: GatewayKey

    private static let longestChallenge = 64

    func add(to router: Router<GatewayRequestContext>) {
        router.get("/healthz") { request, _ in
            guard let challenge = request.uri.queryParameters["challenge"],
                (1...Self.longestChallenge).contains(challenge.utf8.count)
            else { return Response(json: ["status": "ok"]) }
            return Response(json: ["status": "ok", "proof": .string(key.proof(of: String(challenge)))])
        }
        router.get("/health") { _, _ in
            Response(json: ["status": "ok", "timestamp": .string(Timestamp.now.description)])
        }
    }
}

/// The endpoint `GET /readyz`, for load balancers and monitors: 200 while the gateway accepts messages, otherwise 503.
/// With the admin token, the answer has the state of each part.
struct ReadinessEndpoint: Sendable {
    let readiness: Readiness
    let admin: AdminAuthentication

    func add(to router: Router<GatewayRequestContext>) {
        router.get("/readyz") { request, _ in
            let showsChecks = request.bearerToken != nil
            if showsChecks { try admin.check(request) }
            let checks = await readiness.checks()
            let isReady = !checks.contains { $0.state == .failed }
            var body: JSONObject = ["status": .string(isReady ? "ready" : "unavailable")]
            if showsChecks { body["checks"] = .array(checks.map(\.json)) }
            var response = Response(status: isReady ? .ok : .serviceUnavailable, json: .object(body))
            response.headers[.cacheControl] = "no-store"
            return response
        }
    }
}

extension Readiness.Check {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["name": .string(name), "state": .string(state.rawValue)]
        object["problem"] = problem.map(JSONValue.string)
        return .object(object)
    }
}

/// The endpoint `GET /metrics`: all metrics in [Prometheus' text
/// format](https://prometheus.io/docs/instrumenting/exposition_formats/). It requires the admin token, except from this
/// machine and from the peers that the operator allows.
struct MetricsEndpoint: Sendable {
    let registry: PrometheusRegistry
    let space: DiskSpace
    let dispatcher: Dispatcher
    let admin: AdminAuthentication
    let originGuard: OriginGuard
    let allowedPeers: [AddressRange]

    private let process = ProcessMetrics(
        version: GatewayVersion.current, maximumDescriptors: DescriptorLimit.current?.count)

    func add(to router: Router<GatewayRequestContext>) {
        router.get("/metrics") { request, context in
            if !isAllowed(request, context) { try admin.check(request) }
            space.refresh()
            Meter(label: "pushgate_lanes_held_up").set(dispatcher.pausedLanes.count)
            let headers: HTTPFields = [.contentType: "text/plain; version=0.0.4; charset=utf-8"]
            let text = registry.text + process.text
            return Response(
                status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }

    private func isAllowed(_ request: Request, _ context: GatewayRequestContext) -> Bool {
        guard request.bearerToken == nil else { return false }
        let address = originGuard.clientAddress
        if address.isFrom(allowedPeers, peer: context.peer, headerFields: request.headers) { return true }
        // A web page can make a browser on this machine ask, under a name of the page's site.
        return address.isFromLoopback(peer: context.peer, headerFields: request.headers)
            && originGuard.refusal(of: request, context) == nil
    }
}
