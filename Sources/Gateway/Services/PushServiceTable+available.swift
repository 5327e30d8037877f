import Emulator
package import Messaging

extension PushServiceTable {
    /// The push services, one line each.
    package static let available = PushServiceTable([
        APNsService.self,
        RelayService.self,
        InboxService.self,
    ])
}
