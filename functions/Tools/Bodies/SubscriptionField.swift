package import DocumentStore
package import JSON
package import Messaging

/// The fields of bodies with a browser's subscription, which stands in place of a token, or with the secrets of a
/// relay's address, which stand beside it, and of the answers to them.
package enum SubscriptionField {
    static let name = "web_push"
    /// The field with the secrets of an address at the relay of the app's author, which is the token.
    static let relay = "relay"
    /// The member of such an address with the token.
    private static let address = "address"
    /// The field with the subscription that the browser has replaced.
    static let former = "replaces"
    /// The field of an answer with the time at which a push service has ended the former subscription.
    private static let formerRemovedAt = "former_subscription_removed_at"

    /// Returns the problem of a body that has a token too.
    ///
    /// - Parameter field: The field with the token.
    static func problem(beside field: String) -> String { "send either \(field) or \(name), not both" }

    /// Returns an address at a relay with its secrets as one value.
    fileprivate static func relayAddress(_ token: String, _ secrets: JSONObject) -> JSONValue {
        var object = secrets
        object[address] = .string(token)
        return .object(object)
    }

    /// Returns the error of an address at a relay, for the field that it is in.
    fileprivate static func error(
        _ refusal: SubscriptionRefusal, besideTokenIn field: String
    ) -> SubscriptionFieldError {
        guard case .invalid(let error) = refusal, error.member == address else {
            return SubscriptionFieldError(field: relay, refusal: refusal)
        }
        let problem = SubscriptionError(nil, error.requirement)
        return SubscriptionFieldError(field: field, refusal: .invalid(problem))
    }

    /// Notes in an answer that a push service has ended the former subscription, if it has.
    package static func note(formerRemovedAt time: Timestamp?, in answer: inout JSONObject) {
        if let time { answer[formerRemovedAt] = .string(time.description) }
    }
}

extension LooseFields {
    /// `true` if the app reports what arrives. Any value but `true` counts as absent: clients that know nothing of
    /// receipts may send the field for a purpose of their own.
    var asksForReceipts: Bool { value(RegistrationFields.receipts) == .bool(true) }
}

/// The reason why a subscription in a body is refused, or a text in the place of a token.
package struct SubscriptionFieldError: Error, Hashable, Sendable {
    let field: String
    package let refusal: SubscriptionRefusal

    /// The reason in one sentence, which names the field.
    package var text: String { refusal.text(in: field) }

    /// The reason beside those of other fields.
    var issue: FieldIssue {
        switch refusal {
        case .invalid(let error):
            FieldIssue(field: error.member.map { "\(field).\($0)" } ?? field, message: error.requirement)
        case .switchedOff(let advice):
            FieldIssue(field: field, message: "cannot be taken by this gateway: \(advice)")
        }
    }
}

extension TokenForms {
    /// Refuses a text in a field for tokens to which no message could be sent, such as the damaged text of a
    /// subscription.
    func check(_ token: String, in field: String) throws(SubscriptionFieldError) {
        if let error = problem(with: token) { throw SubscriptionFieldError(field: field, refusal: .invalid(error)) }
    }
}

extension BrowserSubscriptions {
    /// Reads the subscription in a body, with the one that it replaces; `nil` if there is none, or `null`.
    func subscription(in fields: LooseFields) throws(SubscriptionFieldError) -> RegisteredSubscription? {
        guard let json = fields.value(SubscriptionField.name) else { return nil }
        let subscription = try Self.reading(SubscriptionField.name) { () throws(SubscriptionRefusal) in
            try self.subscription(json)
        }
        guard let former = fields.value(SubscriptionField.former) else { return subscription }
        return try Self.reading(SubscriptionField.former) { () throws(SubscriptionRefusal) in
            try self.subscription(subscription, replacing: former)
        }
    }

    /// Reads the address at the relay of the app's author that a body has as its token, with the secrets beside it;
    /// `nil` for another token, or without secrets. Like a subscription it ends, and the app learns of that when it
    /// registers again.
    ///
    /// - Parameters:
    ///   - token: The token; `nil` for none.
    ///   - field: The field with the token.
    func relayAddress(
        in fields: LooseFields, token: String?, field: String
    ) throws(SubscriptionFieldError) -> RegisteredSubscription? {
        // A client that knows nothing of relays may send a field of this name for a purpose of its own.
        guard let token, RegistrationToken(token).isAtRelay,
            let secrets = fields.value(SubscriptionField.relay)
        else { return nil }
        guard let secrets = secrets.object else {
            throw SubscriptionFieldError(
                field: SubscriptionField.relay, refusal: .invalid(SubscriptionError(nil, "must be an object")))
        }
        do throws(SubscriptionRefusal) {
            return try subscription(SubscriptionField.relayAddress(token, secrets))
        } catch {
            throw SubscriptionField.error(error, besideTokenIn: field)
        }
    }

    /// Reads the subscription in a body that must have one, with the one that it replaces.
    package func requiredSubscription(in fields: LooseFields) throws(SubscriptionFieldError) -> RegisteredSubscription {
        if let subscription = try subscription(in: fields) { return subscription }
        return try Self.reading(SubscriptionField.name) { () throws(SubscriptionRefusal) in
            try self.subscription(JSONValue.null)
        }
    }

    private static func reading(
        _ field: String, _ body: () throws(SubscriptionRefusal) -> RegisteredSubscription
    ) throws(SubscriptionFieldError) -> RegisteredSubscription {
        do throws(SubscriptionRefusal) {
            return try body()
        } catch {
            throw SubscriptionFieldError(field: field, refusal: error)
        }
    }
}
