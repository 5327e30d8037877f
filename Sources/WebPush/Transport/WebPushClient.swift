package import HTTP2Client
import HTTPClient
import HTTPTypes
import IPAddresses
package import Logging
import Messaging
import Synchronization

/// The clients that requests to push services go by: one for the main hosts of known services, and one for all hosts
/// that strangers name, with connections and a thread of their own.
///
/// The first is the client that Apple's devices have too, which carries many messages over HTTP/2 at little cost. The
/// second speaks HTTP/1.1 as well, and asks for each address before it connects. A main host that shows that it has no
/// HTTP/2 gets its requests by the second one for an hour.
package final class WebPushClient: Sendable {
    /// The greatest number of bytes of an answer's body that are read, and of the head of a stranger's. The services'
    /// own have some hundred.
    private static let maximumAnswerBytes = 16 * 1_024
    /// The greatest number of connections to strangers' hosts that stay open without requests.
    private static let maximumConnections = 64

    private let main: HTTP2Client
    private let others: HTTPClient
    /// The times at which main hosts have shown that they have no HTTP/2, in seconds since 1970.
    private let withoutHTTP2 = Mutex<[String: Int64]>([:])
    /// The seconds until such a host is asked again.
    private static let secondsWithoutHTTP2: Int64 = 3_600

    /// Creates clients.
    ///
    /// - Parameters:
    ///   - caFile: The path of a PEM file with the trusted authorities; `nil` for the system's.
    ///   - connectTo: Other servers to connect to, by host.
    ///   - policy: Returns the rules for addresses.
    package init(
        caFile: String?, connectTo: [String: HTTP2Origin], policy: @escaping @Sendable () -> EndpointPolicy,
        logger: Logger
    ) {
        let refusal: @Sendable (IPAddress, String) -> String? = { address, host in
            guard connectTo[host] == nil, let reason = policy().refusal(of: address, for: host) else { return nil }
            WebPushMetrics.recordRefusedAddress()
            return reason
        }
        var main = HTTP2Client.Configuration()
        main.caFile = caFile
        main.connectTo = connectTo
        main.refusalOnceConnected = refusal
        main.detectsOtherVersions = true
        main.maximumResponseBytes = Self.maximumAnswerBytes
        main.cutsLongBodies = true
        self.main = HTTP2Client(configuration: main, logger: logger)
        var others = HTTPClient.Configuration()
        others.caFile = caFile
        others.connectTo = connectTo.mapValues { $0.hostAndPort }
        others.refusal = refusal
        others.maximumResponseBytes = Self.maximumAnswerBytes
        others.cutsLongBodies = true
        others.maximumHeadBytes = Self.maximumAnswerBytes
        others.maximumConnections = Self.maximumConnections
        others.connectTimeout = .seconds(5)
        others.idleLifetime = .seconds(60)
        self.others = HTTPClient(configuration: others, logger: logger)
    }

    /// Sends a request, and returns the answer.
    ///
    /// - Parameter now: This machine's time in seconds since 1970, for an answer without a date.
    func answer(to request: WebPushRequest, now: Int64) async -> Result<WebPushAnswer, WebPushRequestError> {
        if usesHTTP2(for: request.endpoint, at: now) {
            let received = await result(of: request) { (completion: @escaping HTTP2Client.Completion) in
                main.execute(Self.outgoing(request), completion: completion)
            }
            if let answer = answer(received, to: request, now: now) { return answer }
        }
        do throws(HTTPClientError) {
            return .success(try await answerByEitherVersion(to: request, now: now))
        } catch {
            return .failure(WebPushRequestError(error))
        }
    }

    /// A request to a main host, with the closure that gets its result.
    struct Submission: Sendable {
        let request: WebPushRequest
        /// It gets `nil` if the host has shown that it has no HTTP/2. It is called on an event loop, and is brief.
        let completion: @Sendable (Result<WebPushAnswer, WebPushRequestError>?) -> Void
    }

    /// Sends requests for which ``usesHTTP2(for:at:)`` is `true`, all at once.
    ///
    /// - Parameter now: This machine's time in seconds since 1970, for answers without a date.
    func submit(_ submissions: [Submission], now: Int64) {
        main.execute(
            submissions.map { submission -> HTTP2Client.Submission in
                (
                    request: Self.outgoing(submission.request),
                    completion: { [self] result in
                        submission.completion(answer(result, to: submission.request, now: now))
                    }
                )
            })
        for submission in submissions { wasSubmitted(submission.request) }
    }

    /// Returns `true` if requests to an endpoint go over HTTP/2, by the client of main hosts.
    func usesHTTP2(for endpoint: WebPushEndpoint, at now: Int64) -> Bool {
        guard endpoint.isAtMainHost else { return false }
        guard let time = withoutHTTP2.withLock({ $0[endpoint.host] }) else { return true }
        return !(0..<Self.secondsWithoutHTTP2).contains(now - time)
    }

    private static func outgoing(_ request: WebPushRequest) -> HTTP2Request {
        HTTP2Request(
            request.headers.prepared, path: request.endpoint.path,
            fields: [HTTP2Request.Field("authorization", request.authorization, isRepeated: true)],
            body: request.body, deadline: request.deadline, keepsOrder: true,
            responseFields: WebPushAnswer.fieldNames)
    }

    /// Returns the answer over HTTP/2; `nil` if the host has shown that it has no HTTP/2.
    private func answer(
        _ result: Result<HTTP2Response, HTTP2ClientError>, to request: WebPushRequest, now: Int64
    ) -> Result<WebPushAnswer, WebPushRequestError>? {
        switch result {
        case .success(let response):
            let answer = WebPushAnswer(
                from: request.endpoint.profile, isOfMainHost: request.endpoint.isAtMainHost,
                status: response.statusCode, body: response.body,
                now: response.value(of: WebPushAnswer.dateName).flatMap(HTTPDate.seconds) ?? now
            ) { response.value(of: $0) }
            return .success(answer)
        case .failure(let error) where error.kind == .noHTTP2:
            withoutHTTP2.withLock { $0[request.endpoint.host] = now }
            return nil
        case .failure(let error): return .failure(WebPushRequestError(error))
        }
    }

    private func answerByEitherVersion(
        to request: WebPushRequest, now: Int64
    ) async throws(HTTPClientError) -> WebPushAnswer {
        var outgoing = HTTPClientRequest(
            method: .post, url: request.endpoint.url, headerFields: [.authorization: request.authorization],
            body: request.body, deadline: request.deadline)
        outgoing.sharedHeaderFields = request.headers.shared
        let response = try await result(of: request) { (completion: @escaping HTTPClient.Completion) in
            _ = others.execute(outgoing, completion: completion)
        }.get()
        let answer = response.headerFields
        return WebPushAnswer(
            from: request.endpoint.profile, isOfMainHost: request.endpoint.isAtMainHost, status: response.statusCode,
            body: response.body, now: response.date ?? now
        ) { name in HTTPField.Name(name).flatMap { answer[$0] } }
    }

    /// Returns the result of a request that a client begins. It ends early if the task is cancelled, or the
    /// notification given up.
    private func result<Response: Sendable, Failure: Error>(
        of request: WebPushRequest, begin: (@escaping @Sendable (Result<Response, Failure>) -> Void) -> Void
    ) async -> Result<Response, Failure> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin { continuation.resume(returning: $0) }
                wasSubmitted(request)
                if Task.isCancelled { cancel(request.body) }
            }
        } onCancel: {
            cancel(request.body)
        }
    }

    private func wasSubmitted(_ request: WebPushRequest) {
        request.wasSubmitted()
        // Before this point the client did not have the request.
        if request.isGivenUp() { cancel(request.body) }
    }

    /// Gives up the request with a body, if it is in progress. A later one to the same endpoint of a main host follows
    /// behind the reset of its stream.
    func cancel(_ body: [UInt8]) {
        main.cancel { $0.body == body }
        others.cancel { $0.body == body }
    }

    /// Begins no further request on the open connections to strangers' hosts, whose addresses other rules have allowed.
    func rulesHaveChanged() { others.renewConnections() }

    /// Closes all connections at once. Requests in progress fail.
    package func shutdown() async {
        await main.shutdown(within: .zero)
        await others.shutdown(within: .zero)
    }
}
