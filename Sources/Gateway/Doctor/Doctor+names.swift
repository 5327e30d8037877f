import Cryptography
import Foundation
import HTTPTransport
import HTTPTypes
import Instance
import JSON
import Messaging
import Secrets
import Server

/// The running gateway, and the names under which clients reach it.
extension Doctor {
    private static let patience = Duration.seconds(10)

    private func get(
        _ url: String, _ headerFields: HTTPFields = [:]
    ) async throws(HTTPClientError) -> HTTPClientResponse {
        var settings = HTTPClient.Configuration()
        settings.caFile = caFile
        let client = HTTPClient(configuration: settings, logger: logger)
        let result: Result<HTTPClientResponse, HTTPClientError>
        do throws(HTTPClientError) {
            result = .success(
                try await client.execute(
                    HTTPClientRequest(url: url, headerFields: headerFields, deadline: Self.patience)))
        } catch {
            result = .failure(error)
        }
        await client.shutdown()
        return try result.get()
    }

    // MARK: The running gateway

    func runningGateway() async -> [Finding] {
        let part = "gateway"
        guard directory.lock.isTaken else { return [.ok(part, "not running on \(directory.path)")] }
        do {
            guard let address = try directory.address.believed(), let token = directory.adminToken.existing() else {
                return [.ok(part, "running; its address or its admin token is not in \(directory.path)")]
            }
            let answer = try await get(address + "/readyz", [.authorization: "Bearer \(token.value)"])
            let checks = try JSONValue(parsing: answer.body)["checks"]?.array ?? []
            return checks.compactMap(finding) + [.ok(part, "running at \(address), \(answer.statusCode)")]
        } catch {
            return [
                .failed(
                    part, "it runs, and cannot be asked: \(error)", because: "Its own checks are missing here.",
                    advice: "Look at its log, and see if its clients get answers.")
            ]
        }
    }

    private func finding(_ check: JSONValue) -> Finding? {
        guard let name = check["name"]?.string, let state = check["state"]?.string, state != "ok" else { return nil }
        let fact = "\(name): \(check["problem"]?.string ?? state)"
        guard name != "devices" else {
            return .warning(
                "gateway", fact, because: "Their notifications do not arrive.",
                advice: "Do as it says; a day after the last such request, this warning ends.")
        }
        let advice = "Correct the cause; the gateway goes on by itself."
        return state == "failed"
            ? .failed("gateway", fact, because: "It accepts no messages.", advice: advice)
            : .warning(
                "gateway", fact, because: "It accepts messages, and delivers some of them later.", advice: advice)
    }

    // MARK: Names

    /// Asks each name that the settings give for a proof that this gateway answers there.
    func ownNames() async -> [Finding] {
        let urls = ownURLs
        guard !urls.isEmpty else { return [] }
        guard directory.lock.isTaken, let key = try? directory.gatewayKey.existing() else {
            return [.ok("names", "not examined: the gateway must run for that (\(urls.joined(separator: ", ")))")]
        }
        var findings: [Finding] = []
        for url in urls { findings.append(await finding(url, key)) }
        return findings
    }

    private var ownURLs: [String] {
        let tls = configuration.http.tls
        let port = tls.map { $0.port == 443 ? "" : ":\($0.port)" } ?? ""
        let certified = certifiedNames.map { "https://\($0)\(port)" }
        return Array(Set(certified + configuration.http.names.map(\.url))).sorted()
    }

    private var certifiedNames: [String] {
        guard let tls = configuration.http.tls else { return [] }
        let names = tls.certificates.flatMap { (try? FileCertificate($0).names) ?? [] } + (tls.acme?.domains ?? [])
        return names.filter { !$0.hasPrefix("*") }
    }

    private func finding(_ url: String, _ key: GatewayKey) async -> Finding {
        let part = "names"
        let challenge = Base64URL.encode(RandomBytes.generate(18))
        do throws(HTTPClientError) {
            let answer = try await get("\(url)/healthz?challenge=\(challenge)")
            let proof = (try? JSONValue(parsing: answer.body))?["proof"]?.string
            if proof == key.proof(of: challenge) { return .ok(part, "\(url) leads to this gateway") }
            return .failed(
                part, "\(url) leads to another server (\(answer.statusCode))",
                because: "Clients that use this name do not reach this gateway.",
                advice: "Correct the name's address in DNS, the port that the router forwards, or the proxy.")
        } catch {
            return .failed(
                part, "\(url): \(error.message)", because: "Clients that use this name do not reach this gateway.",
                advice: error.kind == .tls
                    ? "Clients must trust the certificate, which must be for this name."
                    : "Check the name's address in DNS, the firewall and the router. Some routers refuse connections "
                        + "from inside to their own address: then try from elsewhere.")
        }
    }
}
