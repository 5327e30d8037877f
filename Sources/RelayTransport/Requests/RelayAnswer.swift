import JSON
package import Messaging

/// An answer to a request to a relay, and the outcome that it stands for.
///
/// Only an answer in the form of relays decides about an address: a status alone may be that of a proxy before the
/// relay, of a page for a domain that was given up, or of a host that is no relay. The relay never passes on the words
/// of the phone's own push service.
package struct RelayAnswer: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// The relay's own word; `nil` if the answer is in another form.
    let word: Word?
    private let retryAfter: Duration?

    /// A word of a relay.
    enum Word: String, Sendable {
        /// The message is stored, and is delivered like any other of the relay's own.
        case accepted
        /// The address has ended: the app was removed, or has closed it.
        case gone
        /// The relay takes the message later.
        case later
        /// The app has revoked the send secret.
        case unauthorized
        /// The relay does not know the address or the send secret, perhaps because it was restored from a backup.
        case unknown
        /// The relay takes the request for wrong.
        case invalid
    }

    /// The wait after *later* without `Retry-After`.
    private static let usualWait = Duration.seconds(60)
    /// The wait before the next question for an address that is not known.
    private static let waitForUnknown = Duration.seconds(900)

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - retryAfter: The field of that name.
    ///   - now: The time of the server, in seconds since 1970, from which a date counts.
    package init(status: Int, body: [UInt8] = [], retryAfter: String? = nil, now: Int64 = 0) {
        self.status = status
        let json = body.isEmpty ? nil : try? JSONValue(parsing: body)
        // Proxies that ask for a log-in answer 401 with `{"error":"unauthorized"}`, so a verdict is a result.
        let word = (json?["result"]?.string).flatMap(Word.init(rawValue:)) ?? Self.mistake(in: json)
        self.word = word.flatMap { Self.statuses(of: $0).contains(status) ? $0 : nil }
        self.retryAfter = RetryAfter.duration(retryAfter, now: now)
    }

    /// Returns the word for a request in another form than the relay's, which has the name of an error.
    private static func mistake(in json: JSONValue?) -> Word? {
        json?["result"] == nil && json?["error"]?.string == Word.invalid.rawValue ? .invalid : nil
    }

    /// Returns the statuses that a word comes with.
    private static func statuses(of word: Word) -> Set<Int> {
        switch word {
        case .accepted: [200, 202]
        case .gone: [410]
        case .later: [429, 500, 503]
        case .unauthorized: [401]
        case .unknown: [404]
        case .invalid: [400, 413, 415]
        }
    }

    /// `true` if the relay has certainly answered.
    package var isOfRelay: Bool { word != nil }

    /// Returns the outcome.
    ///
    /// - Parameter isPatient: `true` if an address that is not known may become known again.
    package func outcome(isPatient: Bool) -> Outcome {
        switch word {
        case .accepted: .accepted
        case .gone: dead("AddressGone")
        case .unauthorized: dead("SecretRevoked")
        case .unknown where isPatient: failure("AddressUnknown", retryAfter: retryAfter ?? Self.waitForUnknown)
        case .unknown: dead("AddressUnknown")
        case .later: failure("RelayLater", slowDown, retryAfter: retryAfter ?? Self.usualWait)
        case .invalid: rejection(status == 413 ? "PayloadTooLarge" : "RelayInvalid")
        case nil where status == 413: rejection("PayloadTooLarge")
        case nil where status == 429: failure("HTTP429", slowDown, retryAfter: retryAfter ?? Self.usualWait)
        case nil where (300..<400).contains(status): failure("Redirected")
        case nil where status < 300: failure("NoRelay")
        case nil: failure("HTTP\(status)")
        }
    }

    private var slowDown: MessagingErrorCode { status == 429 ? .messageRateExceeded : .serverUnavailable }

    /// The end of an address. The registration goes without a guard against mistakes: no setting of this gateway can
    /// cause such an answer, and an address that is only not known has had a day.
    private func dead(_ reason: String) -> Outcome {
        .rejected(
            Rejection(
                code: .registrationTokenNotRegistered, reason: reason,
                verdict: PlatformVerdict(by: .relay, status: status, reason: reason),
                invalidation: .unregistered(since: nil)))
    }

    private func rejection(_ reason: String) -> Outcome {
        .rejected(
            Rejection(
                code: .invalidArgument, reason: reason,
                verdict: PlatformVerdict(by: .relay, status: status, reason: reason)))
    }

    private func failure(
        _ reason: String, _ code: MessagingErrorCode = .serverUnavailable, retryAfter wait: Duration? = nil
    ) -> Outcome {
        .failed(Failure(code: code, reason: reason, retryAfter: wait ?? retryAfter))
    }
}
