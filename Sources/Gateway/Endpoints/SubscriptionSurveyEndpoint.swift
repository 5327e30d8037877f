import DocumentStore
import Hummingbird
import Messaging
import RequestRules
import Server
import WebPush

/// The endpoint `GET /webpush/v1/survey`, which tells the doctor of the servers that browsers' subscriptions lead to.
/// It requires the admin token.
///
/// The response is a ``SubscriptionSurvey``:
/// `{"read", "complete", "servers": [{"server", "registrations"}], "with_former_key"?}`.
struct SubscriptionSurveyEndpoint: Sendable {
    /// The path of the endpoint.
    static let path = "/webpush/v1/survey"

    let subscriptions: BrowserSubscriptions
    let table: PushServiceTable
    /// Returns the public key; `nil` if Web Push is off.
    let publicKey: @Sendable () -> String?

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get(RouterPath(Self.path)) { _, _ in
            var replacedAt: Timestamp?
            if let key = publicKey() {
                replacedAt = try await SubscriptionKeys(of: subscriptions, for: .webPush).replacementTime(of: key)
            }
            let survey = try await subscriptions.survey(keyReplacedAt: replacedAt, of: .webPush) { address in
                table.service(address.transport)?.server(of: address)
            }
            return Response(json: survey.json)
        }
    }
}
