import Functions
import Messaging

extension SettingTable {
    /// The settings of a gateway with all push services and systems that can be switched on.
    package static let available = SettingTable(EnabledModules.available, .available)

    /// The sections of the gateway itself.
    private static let sections: [any ConfigurationSection.Type] = [
        HTTPSection.self, DataSection.self, StoreSection.self, LogSection.self, AdminSection.self, BackupsSection.self,
        MetricsSection.self, MessagesSection.self, LiveActivitiesSection.self, ReceiptsSection.self,
        WebPushSection.self, WebhooksSection.self, FCMSection.self, FirestoreSection.self,
    ]

    /// Collects the settings of a gateway.
    ///
    /// - Parameters:
    ///   - modules: The systems that can be switched on.
    ///   - services: The push services that can be switched on.
    init(_ modules: [any FunctionModule.Type], _ services: PushServiceTable) {
        self.init(
            Self.sections.map { $0.keys } + services.types.map { $0.keys } + modules.map { $0.keys },
            appKeys: Set(services.types.flatMap { $0.appKeys }))
    }
}
