public import Cryptography
public import JSON
import Synchronization

/// Google's side of FCM for tests: a service account, its token endpoint, and `messages:send`.
///
/// It is strict: an assertion is looked at in every part and its signature verified, and a message is taken only with an
/// access token that was handed out here, for this project. Errors have details, and so FCM's codes, only for who asks for
/// them by `x-goog-api-format-version: 2`.
public final class GoogleStandIn: Sendable {
    /// An assertion that came in.
    public struct Exchange: Sendable {
        public let claims: JSONValue
        /// What is wrong with it; nil when it was good for an access token.
        public let problem: String?
    }

    /// A message that came in, whatever the answer was.
    public struct Sent: Sendable {
        public let accessToken: String
        /// The request's body, whole.
        public let body: JSONValue
        public let status: Int

        public var token: String? { body["message"]?["token"]?.string }
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

    public static let projectID = "example-project"
    public static let clientEmail = "sender@example-project.iam.gserviceaccount.com"
    public static let privateKeyID = "0123456789abcdef"

    /// The account's key. Tests share one, since making one takes a while.
    public let key: RS256PrivateKey
    private static let sharedKey = Result { try RS256PrivateKey.generate() }

    let state = Mutex(State())

    init() throws { key = try Self.sharedKey.get() }

    /// Where it listens: `http://127.0.0.1:50123`.
    public var url: String { state.withLock(\.url) }

    /// The account's key file.
    public var serviceAccount: JSONObject {
        [
            "type": "service_account", "project_id": .string(Self.projectID),
            "private_key_id": .string(Self.privateKeyID), "private_key": .string(key.pem),
            "client_email": .string(Self.clientEmail), "client_id": "123456789012345678901",
            "token_uri": .string(url + "/token"),
        ]
    }

    // MARK: What came in

    public var exchanges: [Exchange] { state.withLock(\.exchanges) }
    public var sent: [Sent] { state.withLock(\.sent) }

    // MARK: Scripts

    /// Takes none of the access tokens any more that were handed out so far.
    public func revokeAccessTokens() { state.withLock { $0.accessTokens = [] } }

    /// Answers the next requests for an access token like this, one each.
    public func answerTokenRequests(with answers: GoogleAnswer...) { state.withLock { $0.tokenAnswers = answers } }

    /// Answers the next messages to a registration token like this, one each; those after them are taken.
    public func answer(_ registrationToken: String, with answers: GoogleAnswer...) {
        state.withLock { $0.answers[registrationToken] = answers }
    }
}
