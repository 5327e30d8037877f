import JSON
import Texts

/// A validator of requests by Apple's rules, without I/O: a request and the time in, a verdict out.
///
/// Apple does not publish the order of its checks. This order reports first the error that a sender must correct
/// first: method, path, device token present, provider token, repeated headers, topic present, `apns-id`, expiration,
/// priority, push type, collapse id, topic, device token, payload.
///
/// Every connection has a validator of its own, which caches verified provider tokens.
public struct RequestValidator: Sendable {
    /// The largest payload of any push type, in bytes.
    public static let largestPayload = PushType.voip.maximumPayload
    /// The tolerance for an `iat` in the future, in seconds, because clocks differ.
    public static let clockSkew: Int64 = 60
    /// The age in seconds beyond which a provider token is refused.
    public static let maximumTokenAge: Int64 = 3600

    let rules: ValidationRules
    private var verifier: ProviderTokenVerifier

    /// Begins without verified provider tokens, as a new connection does.
    public init(rules: ValidationRules) {
        self.rules = rules
        self.verifier = ProviderTokenVerifier(keys: rules.providerKeys)
    }

    /// Validates one complete request.
    ///
    /// - Parameters:
    ///   - request: The complete request.
    ///   - now: The current time in seconds since 1970.
    public mutating func validate(_ request: APNsRequest, now: Int64) -> Verdict {
        var verdict = Verdict()
        do throws(Refusal) {
            try check(request, now: now, verdict: &verdict)
        } catch {
            verdict.rejection = error.rejection
            verdict.cause = error.cause
        }
        return verdict
    }

    private mutating func check(_ request: APNsRequest, now: Int64, verdict: inout Verdict) throws(Refusal) {
        let headers = RequestHeaders(request.headers)
        verdict.apnsID = headers.id.flatMap { UUIDText.isCanonical($0) ? $0 : nil }
        guard request.method == "POST" else {
            throw Refusal(.methodNotAllowed, "the method is \(request.method.excerpt); it takes POST")
        }
        verdict.deviceToken = try Self.deviceToken(inPath: request.path)
        let token = try providerToken(headers.authorization, now: now)
        verdict.providerToken = token
        if let deviation = token.deviation { verdict.deviations.append(deviation) }
        if let name = headers.duplicate { throw Refusal(.duplicateHeaders, "\(name) is present twice") }
        guard let topic = headers.topic else { throw Refusal(.missingTopic, "apns-topic is missing") }
        if let id = headers.id, verdict.apnsID == nil {
            throw Refusal(.badMessageID, "apns-id is \(id.excerpt); it takes a UUID in lower case")
        }
        let pushType = try checkDelivery(headers, topic: topic)
        if headers.pushType == nil { verdict.deviations.append(.missingPushType) }
        try checkTopic(topic, for: pushType, deviceToken: verdict.deviceToken)
        try Self.checkDeviceToken(verdict.deviceToken)
        let payload = try Self.payload(request.body, for: pushType)
        if let path = payload.nullMember { try note(nullMember: path, in: &verdict) }
    }

    private func note(nullMember path: String, in verdict: inout Verdict) throws(Refusal) {
        guard !rules.isStrict else {
            throw Refusal(
                .payloadEmpty, "the payload's member \(path.excerpt) is null, and --strict requires that it is left out"
            )
        }
        verdict.deviations.append(.nullMember)
    }

    mutating func providerToken(_ authorization: String?, now: Int64) throws(Refusal) -> ProviderTokenClaims {
        guard let authorization else { throw Refusal(.missingProviderToken, "authorization is missing") }
        let token = try verifier.token(authorizing: authorization)
        if rules.isStrict, token.deviation != nil {
            throw Refusal(
                .invalidProviderToken,
                "the provider token's “iat” is not written as an integer, and --strict requires that")
        }
        // No subtraction of `iat`: the sender may send any integer, and it would overflow.
        if token.issuedAt > now + Self.clockSkew {
            throw Refusal(
                .invalidProviderToken,
                "the provider token's “iat” is \(token.issuedAt), and the time is \(now): use seconds since 1970, not "
                    + "milliseconds, and a correct clock")
        }
        if token.issuedAt < now - Self.maximumTokenAge {
            throw Refusal(
                .expiredProviderToken,
                "the provider token's “iat” is \(token.issuedAt), and the time is \(now): a token is valid for an hour")
        }
        return token
    }
}

extension RequestValidator {
    private static let prefix = "/3/device"
    /// The largest device token, in bytes. Apple fixes no length; the limit only refuses impossible tokens.
    static let longestDeviceToken = 200

    /// Returns the device token of a path `/3/device/<token>`, in lower case: APNs compares tokens as bytes.
    static func deviceToken(inPath path: String) throws(Refusal) -> String {
        guard path.hasPrefix(prefix) else { throw badPath(path) }
        let rest = path.utf8.dropFirst(prefix.utf8.count)
        if rest.isEmpty || rest.elementsEqual("/".utf8) {
            throw Refusal(.missingDeviceToken, "the path lacks a device token; it takes /3/device/ and a device token")
        }
        guard rest.first == UInt8(ascii: "/") else { throw badPath(path) }
        let token = rest.dropFirst()
        if token.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) { throw badPath(path) }
        return Substring(token).lowercased()
    }

    /// Returns a refusal that shows only the parts of the path that are too short for a token, and no query.
    private static func badPath(_ path: String) -> Refusal {
        let parts = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        let shown = parts.map { $0.count > 16 ? "…" : String($0) }.joined(separator: "/")
        return Refusal(.badPath, "the path is \(shown.excerpt); it takes /3/device/ and a device token")
    }

    /// Checks that a device token has at least one byte, each written as two hexadecimal digits.
    static func checkDeviceToken(_ token: String?) throws(Refusal) {
        guard let digits = token?.utf8, digits.count.isMultiple(of: 2),
            (1...longestDeviceToken).contains(digits.count / 2),
            digits.allSatisfy(\.isASCIILowercaseHexDigit)
        else {
            throw Refusal(
                .badDeviceToken,
                "the device token has \(token?.utf8.count ?? 0) characters; it takes an even number of hexadecimal digits, "
                    + "\(2 * longestDeviceToken) at most")
        }
    }
}

extension RequestValidator {
    /// Returns the payload: a JSON object no larger than the push type permits.
    ///
    /// Apple documents no reason for a payload that is not JSON; the simulator uses `PayloadEmpty`.
    static func payload(_ body: [UInt8], for pushType: PushType) throws(Refusal) -> JSONObject {
        if body.isEmpty { throw Refusal(.payloadEmpty, "the body is empty; it takes a JSON object") }
        if body.count > pushType.maximumPayload {
            throw Refusal(
                .payloadTooLarge,
                "the payload has more than \(pushType.maximumPayload) bytes, the limit of push type "
                    + "\(pushType.rawValue)")
        }
        guard case .object(let object)? = try? JSONValue(parsing: body) else {
            throw Refusal(.payloadEmpty, "the payload of \(body.count) bytes is not a JSON object")
        }
        return object
    }
}

extension JSONObject {
    /// The path of the first member that is `null`, such as `aps.alert`; `nil` if there is none. Elements of arrays may
    /// be `null`.
    fileprivate var nullMember: String? {
        for (name, value) in members {
            if value == .null { return name }
            if let rest = value.nullMember { return "\(name).\(rest)" }
        }
        return nil
    }
}

extension JSONValue {
    fileprivate var nullMember: String? {
        switch self {
        case .object(let object): object.nullMember
        case .array(let elements): elements.lazy.compactMap(\.nullMember).first
        case .null, .bool, .integer, .double, .string: nil
        }
    }
}
