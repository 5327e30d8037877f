package import DocumentStore
package import Emulator
package import Functions
package import Messaging

/// The parts of a gateway that FCM's interface sends with.
package struct FCMServices: Sendable {
    let store: any DocumentStore
    let resolver: RegistrationResolver
    let table: PushServiceTable
    let transports: TransportTable
    let outbox: Outbox
    let broadcaster: Broadcaster
    let scripts: EmulatorScripts
    let sent: SentMessages
    let isEmulator: Bool
    let isShared: Bool
    let isAppConfigured: @Sendable (_ bundleID: String) -> Bool
    let subscriptions: BrowserSubscriptions
    let webPushKey: @Sendable () -> String?
    let deviceCredentials: (any DeviceCredentials)?

    /// Gives the interface parts of a gateway.
    ///
    /// - Parameters:
    ///   - store: The documents for requests.
    ///   - table: All push services, those that are switched off too.
    ///   - isEmulator: `true` if no notification leaves the gateway.
    ///   - isShared: `true` if other gateways may change the documents too.
    ///   - isAppConfigured: Returns `true` if the gateway sends for the app of a bundle id.
    ///   - subscriptions: The subscriptions of browsers that clients register.
    ///   - webPushKey: Returns the public key that a subscription needs; `nil` if Web Push is off.
    ///   - deviceCredentials: The credentials of devices that a system has paired; `nil` if no system pairs any.
    package init(
        store: any DocumentStore, resolver: RegistrationResolver, table: PushServiceTable, transports: TransportTable,
        outbox: Outbox, broadcaster: Broadcaster, scripts: EmulatorScripts, sent: SentMessages, isEmulator: Bool,
        isShared: Bool, isAppConfigured: @escaping @Sendable (_ bundleID: String) -> Bool,
        subscriptions: BrowserSubscriptions,
        webPushKey: @escaping @Sendable () -> String?, deviceCredentials: (any DeviceCredentials)?
    ) {
        self.store = store
        self.resolver = resolver
        self.table = table
        self.transports = transports
        self.outbox = outbox
        self.broadcaster = broadcaster
        self.scripts = scripts
        self.sent = sent
        self.isEmulator = isEmulator
        self.isShared = isShared
        self.isAppConfigured = isAppConfigured
        self.subscriptions = subscriptions
        self.webPushKey = webPushKey
        self.deviceCredentials = deviceCredentials
    }
}
