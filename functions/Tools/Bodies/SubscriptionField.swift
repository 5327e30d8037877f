import JSON
import Messaging

/// The field of a body with a browser's subscription, which stands in place of a token.
enum SubscriptionField {
    static let name = "web_push"

    /// Returns the problem of a body that has a token too.
    ///
    /// - Parameter field: The field with the token.
    static func problem(beside field: String) -> String { "send either \(field) or \(name), not both" }
}

/// The reason why the subscription in a body is refused.
struct SubscriptionFieldError: Error, Hashable, Sendable {
    let field: String
    let refusal: SubscriptionRefusal

    /// The reason in one sentence, which names the field.
    var text: String { refusal.text(in: field) }

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

extension BrowserSubscriptions {
    /// Reads the subscription in a body; `nil` if there is none, or `null`.
    func subscription(in fields: LooseFields) throws(SubscriptionFieldError) -> RegisteredSubscription? {
        guard let json = fields.value(SubscriptionField.name) else { return nil }
        do throws(SubscriptionRefusal) {
            return try subscription(json)
        } catch {
            throw SubscriptionFieldError(field: SubscriptionField.name, refusal: error)
        }
    }
}
