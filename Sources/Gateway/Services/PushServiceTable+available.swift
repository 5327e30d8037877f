import Emulator
package import Messaging
import WebPush

extension PushServiceTable {
    /// The push services, one line each.
    package static let available = PushServiceTable([
        APNsService.self,
        RelayService.self,
        BrowserPushService.self,
        InboxService.self,
    ])
}
