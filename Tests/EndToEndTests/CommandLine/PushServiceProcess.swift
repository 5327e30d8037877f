import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

/// `pushgate webpush-service` in a process of its own, on free ports.
struct PushServiceProcess: Sendable {
    static let ports = [
        "--port", "0", "--browser-port", "0", "--chromium-port", "0", "--proxy-port", "0", "--control-port", "0",
    ]

    let child: ChildProcess
    /// The addresses that the program prints.
    let addresses: JSONValue
    /// A client that trusts the service.
    let client: HTTPClient

    /// Runs the program for the body, and kills it afterwards if it still runs.
    static func running<Output>(
        _ options: [String] = [], _ body: (PushServiceProcess) async throws -> Output
    ) async throws -> Output {
        try await PushgateProgram.running(["webpush-service", "--json"] + ports + options) { child in
            try await eventually("the service listens") { child.outputText.hasSuffix("\n") || !child.isRunning }
            let addresses = try JSONValue(parsing: child.outputText)
            var configuration = HTTPClient.Configuration()
            configuration.caFile = addresses["ca_file"]?.string
            return try await withHTTPClient(configuration) { client in
                try await body(PushServiceProcess(child: child, addresses: addresses, client: client))
            }
        }
    }

    /// The settings of a gateway that sends to the service.
    var gatewaySettings: [String: String] {
        let server = (addresses["push"]?.string ?? "").replacing("https://", with: "")
        return [
            "webpush.subject": "mailto:ops@pushgate.dev", "webpush.caFile": addresses["ca_file"]?.string ?? "",
            "webpush.allowedHosts": server,
        ]
    }

    /// Sends a request to the control address, and returns the answer.
    func control(_ method: HTTPRequest.Method, _ target: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let response = try await client.execute(
            HTTPClientRequest(
                method: method, url: (addresses["control"]?.string ?? "") + target, body: body?.serialized ?? [],
                deadline: .patience, version: .http1))
        return try JSONValue(parsing: response.body)
    }

    /// Makes a subscription without a browser.
    func subscribe(_ service: String) async throws -> JSONValue {
        try await control(.post, "/subscriptions", ["service": .string(service)])
    }
}
