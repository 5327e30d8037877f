import Cryptography
import HTTPTypes
import JSON
import Synchronization

/// The parts of a request that the stand-in needs.
struct IncomingRequest: Sendable {
    let method: HTTPRequest.Method
    let path: String
    /// The host and port that the request was sent to.
    let authority: String
    let headerFields: HTTPFields
    let body: [UInt8]
}

extension IncomingRequest {
    /// `true` if the request asks for the second version of errors.
    fileprivate var wantsDetails: Bool {
        HTTPField.Name("x-goog-api-format-version").flatMap { headerFields[$0] } == "2"
    }
}

extension GoogleStandIn {
    func answer(to request: IncomingRequest) -> GoogleAnswer {
        switch (request.method, request.path) {
        case (.post, "/token"): exchange(request)
        case (.post, "/v1/projects/\(Self.projectID)/messages:send"): send(request)
        default: GoogleAnswer(status: 404, body: "<!DOCTYPE html>")
        }
    }

    /// Exchanges an assertion for an access token.
    private func exchange(_ request: IncomingRequest) -> GoogleAnswer {
        let check = AssertionCheck(
            form: String(decoding: request.body, as: UTF8.self), contentType: request.headerFields[.contentType],
            audience: "http://\(request.authority)/token", key: key.publicKey)
        return state.withLock { state in
            state.exchanges.append(Exchange(claims: check.claims, problem: check.problem))
            if !state.tokenAnswers.isEmpty { return state.tokenAnswers.removeFirst() }
            if let problem = check.problem { return .oauth(400, "invalid_grant", "Invalid JWT: \(problem)") }
            state.accessTokenCount += 1
            let token = "access-\(state.accessTokenCount)"
            state.accessTokens.insert(token)
            return GoogleAnswer(
                status: 200,
                body: [
                    "access_token": .string(token), "expires_in": 3_599,
                    "token_type": "Bearer",
                ])
        }
    }

    private func send(_ request: IncomingRequest) -> GoogleAnswer {
        let body = (try? JSONValue(parsing: request.body)) ?? .null
        let authorization = request.headerFields[.authorization] ?? ""
        let accessToken = authorization.hasPrefix("Bearer ") ? String(authorization.dropFirst("Bearer ".count)) : ""
        return state.withLock { state in
            var answer = state.answer(to: body, accessToken, request.headerFields)
            if !request.wantsDetails { answer = answer.withoutDetails }
            state.sent.append(Sent(accessToken: accessToken, body: body, status: answer.status))
            return answer
        }
    }
}

extension GoogleStandIn.State {
    fileprivate mutating func answer(
        to body: JSONValue, _ accessToken: String, _ headerFields: HTTPFields
    ) -> GoogleAnswer {
        guard accessTokens.contains(accessToken) else { return .unauthenticated }
        guard headerFields[.contentType] == "application/json", body.object?.members.map(\.name) == ["message"],
            let token = body["message"]?["token"]?.string, !token.isEmpty
        else { return .invalidField("message") }
        if let scripted = answers[token]?.first {
            answers[token]?.removeFirst()
            return scripted
        }
        return .accepted(id: sent.count)
    }
}
