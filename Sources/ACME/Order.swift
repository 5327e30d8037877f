import HTTPClient
import JSON
import Texts

/// The states of orders and of authorizations (RFC 8555 §7.1.6).
enum ResourceStatus: String {
    case pending, ready, processing, valid, invalid, deactivated, expired, revoked
}

/// An order for a certificate (RFC 8555 §7.1.3).
struct Order {
    let url: String
    let status: ResourceStatus
    let authorizations: [String]
    let finalize: String
    /// The URL of the certificate; `nil` before there is one.
    let certificate: String?
    let problem: Problem?

    init(_ answer: HTTPClientResponse, url: String) throws(ACMEError) {
        let json = try? JSONValue(parsing: answer.body)
        guard let status = json?["status"]?.string.flatMap(ResourceStatus.init),
            let authorizations = json?["authorizations"]?.array, let finalize = json?["finalize"]?.string
        else { throw .unexpected("an order lacks its status, authorizations or finalize") }
        self.url = url
        self.status = status
        self.authorizations = authorizations.compactMap(\.string)
        self.finalize = finalize
        certificate = json?["certificate"]?.string
        problem = Problem(json?["error"])
    }
}

/// The proof of an account's control over a name, and the ways to give it (RFC 8555 §7.1.4).
struct Authorization {
    let status: ResourceStatus
    /// The challenge to answer over HTTP (RFC 8555 §8.3); `nil` if the authority offers none.
    let challenge: Challenge?
    /// The reason why a challenge failed; `nil` if none has.
    let problem: Problem?

    struct Challenge {
        let url: String
        let token: String
        let isPending: Bool
    }

    init(_ answer: HTTPClientResponse) throws(ACMEError) {
        let json = try? JSONValue(parsing: answer.body)
        guard let status = json?["status"]?.string.flatMap(ResourceStatus.init) else {
            throw .unexpected("an authorization lacks its status")
        }
        let challenges = json?["challenges"]?.array ?? []
        self.status = status
        challenge = challenges.first { $0["type"]?.string == "http-01" }.flatMap(Challenge.init)
        problem = challenges.lazy.compactMap { Problem($0["error"]) }.first
    }
}

extension Authorization.Challenge {
    /// Reads a challenge; `nil` if a member is missing, or if the token is not base64url (RFC 8555 §8.3).
    fileprivate init?(_ json: JSONValue) {
        guard let url = json["url"]?.string, let token = json["token"]?.string, !token.isEmpty,
            token.utf8.allSatisfy(\.isBase64URL)
        else { return nil }
        self.init(url: url, token: token, isPending: json["status"]?.string == "pending")
    }
}
