package import Cryptography
package import JSON
import Synchronization

/// Google's side of FCM for tests: a service account, its token endpoint, and `messages:send`.
///
/// The stand-in is strict: it checks every part of an assertion and verifies its signature, and it accepts a
/// message only with one of its own access tokens for this project. Errors have details, and thus FCM's codes, only
/// with `x-goog-api-format-version: 2`.
package final class GoogleStandIn: Sendable {
    /// A received assertion.
    package struct Exchange: Sendable {
        /// The claims of the assertion.
        package let claims: JSONValue
        /// The fault of the assertion; `nil` if it gave an access token.
        package let problem: String?
    }

    /// A received message, with any answer.
    package struct Sent: Sendable {
        /// The access token of the request; empty if there was none.
        package let accessToken: String
        /// The whole body of the request.
        package let body: JSONValue
        /// The status of the answer.
        package let status: Int

        /// The registration token of the message; `nil` if it has another target.
        package var token: String? { body["message"]?["token"]?.string }
    }

    struct State {
        var url = ""
        var exchanges: [Exchange] = []
        var sent: [Sent] = []
        var accessTokens: Set<String> = []
        var accessTokenCount = 0
        var tokenAnswers: [GoogleAnswer] = []
        var answers: [String: [GoogleAnswer]] = [:]
    }

    /// The project of the account.
    package static let projectID = "example-project"
    /// The e-mail address of the account.
    package static let clientEmail = "sender@example-project.iam.gserviceaccount.com"
    /// The id of the account's key.
    package static let privateKeyID = "0123456789abcdef"

    /// The account's key. Tests share one, as making a key takes a while.
    package let key: RS256PrivateKey
    private static let sharedKey = Result { try RS256PrivateKey.generate() }

    let state = Mutex(State())

    init() throws { key = try Self.sharedKey.get() }

    /// The listening address: `http://127.0.0.1:50123`.
    package var url: String { state.withLock(\.url) }

    /// The account's key file.
    package var serviceAccount: JSONObject {
        [
            "type": "service_account", "project_id": .string(Self.projectID),
            "private_key_id": .string(Self.privateKeyID), "private_key": .string(key.pem),
            "client_email": .string(Self.clientEmail), "client_id": "123456789012345678901",
            "token_uri": .string(url + "/token"),
        ]
    }

    // MARK: Received requests

    /// The received assertions, in order.
    package var exchanges: [Exchange] { state.withLock(\.exchanges) }
    /// The received messages, in order.
    package var sent: [Sent] { state.withLock(\.sent) }

    // MARK: Scripts

    /// Refuses all access tokens that were issued so far.
    package func revokeAccessTokens() { state.withLock { $0.accessTokens = [] } }

    /// Answers each of the next requests for an access token with one of these.
    package func answerTokenRequests(with answers: GoogleAnswer...) { state.withLock { $0.tokenAnswers = answers } }

    /// Answers each of the next messages to a registration token with one of these; later ones are accepted.
    package func answer(_ registrationToken: String, with answers: GoogleAnswer...) {
        state.withLock { $0.answers[registrationToken] = answers }
    }
}
