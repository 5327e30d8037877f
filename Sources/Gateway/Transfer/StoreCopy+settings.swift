import Functions
package import Instance
package import Logging

extension StorePlace {
    /// The place in which a gateway with these settings has its documents.
    package init(of configuration: GatewayConfiguration) {
        self = configuration.store.url.map { .server($0) } ?? .directory(configuration.data.directory)
    }
}

extension StoreCopy {
    /// Copies one store to another, which has no documents, or those of the same copy.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the gateway that is to run on the new store, for its indexes.
    ///   - leavesOutUnreadable: `true` to end a copy although documents could not be read.
    ///   - willCommit: Called before each commit, with the number of documents that were copied before it.
    ///   - report: Called with the progress; `nil` if nobody waits for it.
    package static func copy(
        from source: StorePlace, to target: StorePlace, _ configuration: GatewayConfiguration,
        leavesOutUnreadable: Bool = false, logger: Logger,
        willCommit: @escaping @Sendable (_ documents: Int) async throws -> Void = { _ in },
        report: TransferProgress.Report? = nil
    ) async throws -> Result {
        try await copy(
            from: source, to: target, StoreSettings(configuration), leavesOutUnreadable: leavesOutUnreadable,
            logger: logger, willCommit: willCommit, report: report)
    }
}

extension StoreSettings {
    fileprivate init(_ configuration: GatewayConfiguration) {
        let store = configuration.store
        self.init(
            engines: EngineSettings(configuration), backsUpBeforeUpgrade: configuration.backups.beforeUpgrade,
            lease: store.lease, filesPath: store.files == .directory ? configuration.data.directory : nil,
            storages: EnabledModules.available.flatMap { $0.fileStorages },
            server: { url in
                var store = store
                store.url = url
                guard let settings = try store.postgreSQL() else {
                    throw GatewayError("there is no connection string.")
                }
                return settings
            })
    }
}
