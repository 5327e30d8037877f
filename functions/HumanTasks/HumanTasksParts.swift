import DocumentStore
import Messaging

/// The parts of the system that its endpoints share.
struct HumanTasksParts: Sendable {
    let addresses: DeviceRegistry
    let presence: Presence
    let devices: TaskDevices
    let callers: TaskCallers
    let tasks: TaskStore
    let access: TaskAccess
    let lists: TaskLists
    let links: TaskLinks
    let answers: TaskAnswers
    let photos: TaskPhotos
    let uploads: PhotoUploads
    let deletion: TaskDeletion

    /// - Parameter files: The storage of photos.
    init(_ settings: HumanTasksSettings, _ services: ModuleServices, files: any FileStorage) throws(StoreError) {
        let (store, now, logger) = (services.store, services.now, services.logger)
        let unreadable = UnreadableDocuments(logger: logger)
        let limits = settings.photoLimits
        addresses = DeviceRegistry(
            collection: try HumanTasksDocuments.tokens(),
            app: AppIdentity(bundleID: settings.bundleID, environment: settings.environment),
            store: store, reach: services.reach(of: HumanTasks.source), now: now, logger: logger)
        presence = Presence(store: store, clock: services.clock, now: now, logger: logger)
        devices = TaskDevices(
            store: store, tokens: MCPTokens(key: services.host.secret("human-task-tokens")),
            newDevices: FixedWindowLimiter(limit: settings.newDevicesPerHourPerAddress, everySeconds: 60 * 60), now: now
        )
        callers = TaskCallers(devices: devices, presence: presence, reach: addresses.reach)
        tasks = TaskStore(
            store: store, outbox: services.outbox, addresses: addresses, source: HumanTasks.source, now: now)
        access = TaskAccess(tasks: tasks, callers: callers, now: now)
        lists = TaskLists(store: store, unreadable: unreadable, now: now)
        links = TaskLinks(publicURL: settings.publicURL ?? services.host.publicURL)
        answers = TaskAnswers(store: store, tasks: tasks, unreadable: unreadable, now: now)
        photos = TaskPhotos(
            store: store, files: files, tasks: tasks, atMost: limits.count, unreadable: unreadable, now: now,
            logger: logger)
        uploads = PhotoUploads(
            atMost: settings.maximumUploadBytes,
            memory: UploadMemory(settings.uploadBudgetBytes, freeBytes: HumanTasks.maximumBodyBytes), limits: limits)
        deletion = TaskDeletion(store: store, files: files, logger: logger)
    }
}
