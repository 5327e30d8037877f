package import Cryptography
import HTTPClient
import HTTPTypes
import JSON

/// The place where a server answers challenges over HTTP, at `/.well-known/acme-challenge/TOKEN` on port 80
/// (RFC 8555 §8.3).
package protocol ChallengeResponder: Sendable {
    /// Answers requests for a token with a text, until ``withdraw(_:)``.
    func publish(_ token: String, _ text: String)
    /// Answers no more requests for a token.
    func withdraw(_ token: String)
}

/// Certificates for one name each, proven over HTTP.
extension ACMESession {
    /// Obtains a certificate with a new key (RFC 8555 §7.4).
    ///
    /// - Parameters:
    ///   - name: The DNS name of the server.
    ///   - replaced: The certificate that this one replaces, so that the authority does not count it against its
    ///     limits (RFC 9773 §5); `nil` if there is none.
    ///   - clock: Measures the pauses between two questions about the state.
    /// - Returns: The chain, with the server's certificate first, and the key.
    package func certificate(
        for name: String, replacing replaced: CertificateFacts? = nil, answering challenges: some ChallengeResponder,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws(ACMEError) -> IssuedCertificate {
        var order = try await order(name, replacing: replaced)
        for url in order.authorizations { try await prove(url, challenges, clock) }
        order = try await settled(order, while: [.pending], clock)
        let request = try cryptography { () throws(CryptographyError) in try CertificateRequest(dnsNames: [name]) }
        if order.status == .ready {
            let answer = try await post(["csr": .string(Base64URL.encode(request.der))], to: order.finalize)
            order = try await settled(Order(answer, url: order.url), while: [.ready, .processing], clock)
        }
        guard order.status == .valid, let certificate = order.certificate else {
            throw .refused(order.problem, "the order became \(order.status.rawValue)")
        }
        let chain = String(decoding: try await read(certificate).body, as: UTF8.self)
        return IssuedCertificate(certificatePEM: chain, privateKeyPEM: request.privateKeyPEM)
    }

    private func order(
        _ name: String, replacing replaced: CertificateFacts?
    ) async throws(ACMEError) -> Order {
        let identifiers: JSONValue = [["type": "dns", "value": .string(name)]]
        var request: JSONValue = ["identifiers": identifiers]
        if directory.renewalInfo != nil, let id = replaced?.renewalID {
            request = ["identifiers": identifiers, "replaces": .string(id)]
        }
        let answer: HTTPClientResponse
        do {
            answer = try await post(request, to: directory.newOrder)
        } catch {
            // Another order has replaced it already (RFC 9773 §5); this one then stands by itself.
            guard error.kind == .refused(type: "alreadyReplaced") else { throw error }
            answer = try await post(["identifiers": identifiers], to: directory.newOrder)
        }
        guard let url = answer.headerFields[.location] else {
            throw .unexpected("the answer to newOrder has no Location")
        }
        return try Order(answer, url: url)
    }

    /// Proves control over a name (RFC 8555 §7.5). The authority may remember an earlier proof.
    private func prove(
        _ url: String, _ challenges: some ChallengeResponder, _ clock: any Clock<Duration>
    ) async throws(ACMEError) {
        var authorization = try Authorization(try await read(url))
        guard authorization.status == .pending else { return }
        guard let challenge = authorization.challenge else {
            throw .unexpected("the authority offers no challenge over HTTP (http-01)")
        }
        challenges.publish(challenge.token, key.authorization(for: challenge.token))
        defer { challenges.withdraw(challenge.token) }
        if challenge.isPending { _ = try await post([:], to: challenge.url) }
        var pauses = Pauses(clock)
        repeat {
            let answer = try await read(url)
            authorization = try Authorization(answer)
            if authorization.status == .pending { try await pauses.take(answer.retryAfter) }
        } while authorization.status == .pending
        guard authorization.status == .valid else {
            throw .refused(authorization.problem, "the authorization became \(authorization.status.rawValue)")
        }
    }

    /// Waits until an order has left some states.
    private func settled(
        _ order: Order, while states: Set<ResourceStatus>, _ clock: any Clock<Duration>
    ) async throws(ACMEError) -> Order {
        var order = order
        var pauses = Pauses(clock)
        while states.contains(order.status) {
            let answer = try await read(order.url)
            order = try Order(answer, url: order.url)
            if states.contains(order.status) { try await pauses.take(answer.retryAfter) }
        }
        return order
    }

    /// Revokes a certificate that this account obtained (RFC 8555 §7.6).
    ///
    /// - Parameter reason: A reason code (RFC 5280 §5.3.1), such as 1 for a compromised key.
    package func revoke(_ certificate: CertificateFacts, reason: Int) async throws(ACMEError) {
        let request: JSONValue = [
            "certificate": .string(Base64URL.encode(certificate.der)), "reason": .integer(Int64(reason)),
        ]
        do {
            _ = try await post(request, to: directory.revokeCert)
        } catch {
            guard error.kind == .refused(type: "alreadyRevoked") else { throw error }
        }
    }
}

extension ACMEError {
    /// Creates an error for an order or an authorization that failed.
    fileprivate static func refused(_ problem: Problem?, _ state: String) -> ACMEError {
        guard let problem else { return .unexpected(state) }
        return ACMEError(kind: .refused(type: problem.type), description: problem.description)
    }
}

/// The pauses between two questions about a state, which become longer.
private struct Pauses {
    private let clock: any Clock<Duration>
    private var next = Duration.milliseconds(250)
    private var total = Duration.zero

    init(_ clock: any Clock<Duration>) { self.clock = clock }

    /// Waits for the time that the authority asks for, or doubles the pause before.
    mutating func take(_ retryAfter: Duration?) async throws(ACMEError) {
        let pause = min(max(retryAfter ?? next, next), Self.longest)
        total += pause
        guard total <= Self.limit else {
            throw ACMEError(kind: .unreachable, description: "the authority did not decide within \(Self.limit)")
        }
        do {
            try await clock.sleep(for: pause)
        } catch {
            throw .cancelled
        }
        next = min(next * 2, Self.longest / 4)
    }

    private static let longest = Duration.seconds(20)
    /// The time for a decision: longer than the authorities' own time for it.
    private static let limit = Duration.seconds(300)
}
