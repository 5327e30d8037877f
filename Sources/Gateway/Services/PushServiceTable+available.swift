import Emulator
package import Messaging
import RelayTransport
import WebPush

extension PushServiceTable {
    /// The push services, one line each. The relays of authors come before browsers: both have subscriptions, and the
    /// first one leaves what is none of its own to the next.
    package static let available = PushServiceTable([
        APNsService.self,
        RelayService.self,
        AuthorRelayService.self,
        BrowserPushService.self,
        InboxService.self,
    ])
}
