import Cryptography
import HTTPClient
import Instance
import JSON
import Messaging
import Server

/// The names under which clients reach the gateway. Each is asked for a proof that this gateway answers there.
struct NameCheck: DoctorCheck {
    let part = "names"
    let isRemote = true

    func findings(in context: DoctorContext) async -> [Finding] {
        let urls = urls(of: context.configuration.http)
        guard !urls.isEmpty else { return [] }
        guard context.directory.lock.isTaken, let key = try? context.directory.gatewayKey.existing() else {
            return [ok("not examined: the gateway must run for that (\(urls.joined(separator: ", ")))")]
        }
        var findings: [Finding] = []
        for url in urls { findings.append(await finding(url, key, context.client)) }
        return findings
    }

    private func urls(of settings: HTTPSection) -> [String] {
        let port = settings.tls.map { $0.port == 443 ? "" : ":\($0.port)" } ?? ""
        let certified = settings.tls.map(certifiedNames)?.map { "https://\($0)\(port)" } ?? []
        return Array(Set(certified + settings.names.map(\.url))).sorted()
    }

    private func certifiedNames(_ settings: TLSSettings) -> [String] {
        let files = settings.certificates.flatMap { (try? FileCertificate($0).names) ?? [] }
        return (files + (settings.acme?.domains ?? [])).filter { !$0.hasPrefix("*") }
    }

    private func finding(_ url: String, _ key: GatewayKey, _ client: DoctorClient) async -> Finding {
        let challenge = Base64URL.encode(RandomBytes.generate(18))
        let consequence = "Clients that use this name do not reach this gateway."
        do throws(HTTPClientError) {
            let answer = try await client.get("\(url)/healthz?challenge=\(challenge)")
            let proof = (try? JSONValue(parsing: answer.body))?["proof"]?.string
            if proof == key.proof(of: challenge) { return ok("\(url) leads to this gateway") }
            return failed(
                "\(url) leads to another server (\(answer.statusCode))", because: consequence,
                advice: "Correct the name's address in DNS, the port that the router forwards, or the proxy.")
        } catch {
            return failed(
                "\(url): \(error.message)", because: consequence,
                advice: error.kind == .tls
                    ? "Clients must trust the certificate, which must be for this name."
                    : "Check the name's address in DNS, the firewall and the router. Some routers refuse connections "
                        + "from inside to their own address: then try from elsewhere.")
        }
    }
}
