/// A fault of a request, or a state of its subscription, because of which it is refused.
enum PushFault: Hashable, CaseIterable {
    /// The path is no endpoint's.
    case path
    /// The method is not POST.
    case method
    /// A header field is present twice.
    case duplicateHeader
    /// No subscription has the endpoint.
    case unknownSubscription
    /// The subscription has ended.
    case endedSubscription
    case timeToLiveMissing
    case timeToLiveInvalid
    case urgency
    case topic
    /// There are no credentials, and the subscription or the service requires them.
    case identityMissing
    /// The credentials are malformed, expired, for another origin, or not signed with their key.
    case identityInvalid
    /// The credentials are of another key than the subscription's.
    case identityMismatch
    /// The body is not one record of `aes128gcm`.
    case encryption
    case tooLarge
    /// `X-WNS-Cache-Policy` contradicts `TTL`.
    case cachePolicy
}

/// An answer that is not 201: an HTTP status and the reason in the form of one of the services.
///
/// The set is open, since services add reasons without notice and a script may answer with any.
public struct PushRejection: Error, Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// Apple's `reason`, the `error` of Mozilla's body, or the text of the other services' answers.
    public var reason: String
    /// The `errno` of Mozilla's body; `nil` for the other services.
    public var errno: Int?

    /// Creates a rejection with any status and reason.
    public init(status: Int, reason: String, errno: Int? = nil) {
        self.status = status
        self.reason = reason
        self.errno = errno
    }
}

/// The answers of the services to faults.
extension PushServiceProfile {
    /// Returns the answer of this service to a fault.
    func rejection(for fault: PushFault) -> PushRejection {
        switch self {
        case .apple: Self.apple(fault)
        case .mozilla: Self.mozilla(fault)
        case .google: Self.google(fault)
        case .microsoft: PushRejection(status: Self.status(fault), reason: Self.text(fault))
        case .standard: PushRejection(status: Self.status(fault), reason: Self.text(fault))
        }
    }

    /// Apple, “Sending web push notifications in web apps and browsers”. Apple documents no reason for a body that is
    /// not encrypted as RFC 8291 requires; here it is `BadRequest`.
    private static func apple(_ fault: PushFault) -> PushRejection {
        switch fault {
        case .path: PushRejection(status: 404, reason: "BadPath")
        case .method: PushRejection(status: 405, reason: "MethodNotAllowed")
        case .duplicateHeader: PushRejection(status: 400, reason: "DuplicateHeaders")
        case .unknownSubscription: PushRejection(status: 404, reason: "BadDeviceToken")
        case .endedSubscription: PushRejection(status: 410, reason: "Unregistered")
        case .timeToLiveMissing, .timeToLiveInvalid: PushRejection(status: 400, reason: "BadTtl")
        case .urgency: PushRejection(status: 400, reason: "BadUrgency")
        case .topic: PushRejection(status: 400, reason: "BadWebPushTopic")
        case .identityMissing, .identityInvalid: PushRejection(status: 403, reason: "BadJwtToken")
        case .identityMismatch: PushRejection(status: 400, reason: "VapidPkHashMismatch")
        case .encryption, .cachePolicy: PushRejection(status: 400, reason: "BadRequest")
        case .tooLarge: PushRejection(status: 413, reason: "PayloadTooLarge")
        }
    }

    /// The numbers of Mozilla's autopush.
    private static func mozilla(_ fault: PushFault) -> PushRejection {
        switch fault {
        case .path, .unknownSubscription: PushRejection(status: 404, reason: "Not Found", errno: 102)
        case .method: PushRejection(status: 405, reason: "Method Not Allowed")
        case .endedSubscription: PushRejection(status: 410, reason: "Gone", errno: 103)
        case .timeToLiveMissing: PushRejection(status: 400, reason: "Bad Request", errno: 111)
        case .timeToLiveInvalid: PushRejection(status: 400, reason: "Bad Request", errno: 112)
        case .topic: PushRejection(status: 400, reason: "Bad Request", errno: 113)
        case .identityMissing, .identityInvalid, .identityMismatch:
            PushRejection(status: 401, reason: "Unauthorized", errno: 109)
        case .encryption: PushRejection(status: 400, reason: "Bad Request", errno: 110)
        case .tooLarge: PushRejection(status: 413, reason: "Payload Too Large", errno: 104)
        case .duplicateHeader, .urgency, .cachePolicy: PushRejection(status: 400, reason: "Bad Request", errno: 101)
        }
    }

    private static func google(_ fault: PushFault) -> PushRejection {
        let reason =
            switch fault {
            case .endedSubscription: "push subscription has unsubscribed or expired."
            case .identityMismatch:
                """
                the VAPID credentials in the authorization header do not correspond to the credentials used to create \
                the subscriptions.
                """
            default: text(fault)
            }
        return PushRejection(status: status(fault), reason: reason)
    }

    /// The status for a fault where a service has no other one (RFC 8030 §5, RFC 8292 §2 and §4.2).
    private static func status(_ fault: PushFault) -> Int {
        switch fault {
        case .path, .unknownSubscription: 404
        case .method: 405
        case .endedSubscription: 410
        case .identityMissing: 401
        case .identityInvalid, .identityMismatch: 403
        case .tooLarge: 413
        case .duplicateHeader, .timeToLiveMissing, .timeToLiveInvalid, .urgency, .topic, .encryption, .cachePolicy: 400
        }
    }

    private static func text(_ fault: PushFault) -> String {
        switch fault {
        case .path: "there is no push resource at this path"
        case .method: "a push resource takes POST"
        case .duplicateHeader: "a header field is present twice"
        case .unknownSubscription: "there is no such subscription"
        case .endedSubscription: "the subscription has ended"
        case .timeToLiveMissing: "TTL is missing"
        case .timeToLiveInvalid: "TTL is invalid"
        case .urgency: "Urgency is invalid"
        case .topic: "Topic is invalid"
        case .identityMissing: "the VAPID credentials are missing"
        case .identityInvalid: "the VAPID credentials are invalid"
        case .identityMismatch: "the subscription is for another VAPID key"
        case .encryption: "the body is not encrypted as RFC 8291 requires"
        case .tooLarge: "the body is too large"
        case .cachePolicy: "X-WNS-Cache-Policy contradicts TTL"
        }
    }
}

/// The refusal of a request: the fault, and its cause for the author of the sender.
struct PushRefusal: Error, Hashable {
    let fault: PushFault
    /// The actual value and the expected one. Values are excerpts, so that no complete token appears.
    let cause: String

    init(_ fault: PushFault, _ cause: String) {
        self.fault = fault
        self.cause = cause
    }
}
