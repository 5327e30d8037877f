package import DocumentStore
import HTTPTypes
import Logging
package import ServiceLifecycle
package import Settings

/// Tasks for people. An app requests something from a person by a link and is notified of the answer.
///
/// docs/functions/humantasks.md is the contract.
package struct HumanTasks: FunctionModule {
    private let devices: DeviceEndpoints
    private let tasks: TaskEndpoints
    private let deletion: DeletionEndpoints
    private let answers: AnswerEndpoints
    private let photos: PhotoEndpoints
    private let page: PageEndpoints
    private let presence: Presence
    private let cleanUp: TaskCleanUp
    private let logger: Logger

    package static let name = "human tasks"
    package static let source = "humantasks"
    package static let paths: [PathPattern] = ["/api/devices", "/api/hits", "/hit"]
    package static let registrationCollection: String? = HumanTasksDocuments.tokenGroup
    /// The keys of the settings.
    package static let keys = SettingKeys(below: "functions.humantasks.", HumanTasksSettings.self)
    /// The indexes that this module needs in its store.
    package static let fieldIndexes = [
        FieldIndex(
            collectionGroup: HumanTasksDocuments.taskGroup, field: FieldPath(HumanTask.Field.place), type: .string),
        FieldIndex(
            collectionGroup: HumanTasksDocuments.taskGroup, field: FieldPath(HumanTask.Field.endsAt), type: .timestamp),
    ]
    package static let fileStorages = [photoFolder]
    package static var secretCollections: [String] { HumanTasksDocuments.secretCollections }
    package let deviceList: DeviceList?

    /// The maximum size of a body without photos, in bytes.
    static let maximumBodyBytes = 64 * 1024
    private static let photoFolder = "photos"

    package init(settings: HumanTasksSettings, services: ModuleServices) throws(StoreError) {
        try self.init(settings: settings, services: services, makeID: TaskID.random)
    }

    /// - Parameter makeID: Makes the ids of tasks, which must be unguessable. Tests choose them.
    package init(
        settings: HumanTasksSettings, services: ModuleServices, makeID: @escaping @Sendable () -> String
    ) throws(StoreError) {
        let (store, now, limits) = (services.store, services.now, settings.photoLimits)
        let files = services.host.files(Self.photoFolder)
        let parts = try HumanTasksParts(settings, services, files: files)
        logger = services.logger
        deviceList = parts.addresses.list(of: Self.name)
        presence = parts.presence
        devices = DeviceEndpoints(
            devices: parts.devices, callers: parts.callers, presence: presence, addresses: parts.addresses, now: now)
        let creation = TaskCreation(
            store: store,
            newTasks: FixedWindowLimiter(limit: settings.newTasksPerHourPerDevice, everySeconds: 60 * 60),
            lifetime: settings.lifetime, makeID: makeID, now: now)
        tasks = TaskEndpoints(
            tasks: parts.tasks, creation: creation, lists: parts.lists, access: parts.access, callers: parts.callers,
            links: parts.links, now: now)
        deletion = DeletionEndpoints(
            deletion: parts.deletion, lists: parts.lists, access: parts.access, callers: parts.callers)
        answers = AnswerEndpoints(answers: parts.answers, access: parts.access, now: now)
        photos = PhotoEndpoints(
            photos: parts.photos, uploads: parts.uploads, limits: limits, access: parts.access, links: parts.links)
        let submissions = FormSubmissions(
            tasks: parts.tasks, answers: parts.answers, photos: parts.photos, limits: limits, now: now)
        page = PageEndpoints(
            tasks: parts.tasks, answers: parts.answers, submissions: submissions, uploads: parts.uploads,
            limits: limits, access: parts.access, links: parts.links, now: now, logger: logger)
        cleanUp = TaskCleanUp(
            store: store, deletion: parts.deletion, orphans: OrphanedFiles(store: store, files: files),
            retention: settings.retention, now: now)
    }

    package var endpoints: [Endpoint] {
        [
            group.endpoint(.post, "/api/devices/register", devices.register),
            group.endpoint(.get, "/api/devices/{device}", devices.show),
            group.endpoint(.post, "/api/devices/{device}/apns-token", devices.storeToken).forPages,
            group.endpoint(.post, "/api/devices/{device}/heartbeat", devices.beat),
            group.endpoint(.post, "/api/hits", tasks.create),
            group.endpoint(.get, "/api/hits", tasks.list),
            group.endpoint(.post, "/api/hits/bulk-delete", deletion.deleteAll),
            group.endpoint(.get, "/api/hits/{hit}", tasks.show),
            group.endpoint(.delete, "/api/hits/{hit}", deletion.delete),
            group.endpoint(.patch, "/api/hits/{hit}/complete", tasks.complete),
            group.endpoint(.post, "/api/hits/{hit}/respond", answers.respond),
            group.endpoint(.get, "/api/hits/{hit}/responses", answers.list),
            group.endpoint(.post, "/api/hits/{hit}/upload", photos.upload),
            group.endpoint(.post, "/api/hits/{hit}/photos", photos.add),
            group.endpoint(.get, "/api/hits/{hit}/photos", photos.list),
            group.endpoint(.get, "/api/hits/{hit}/photos/{photo}", photos.show),
            page.group.endpoint(.get, "/hit/{hit}", page.show),
            page.group.endpoint(.post, "/hit/{hit}/answer", page.takeForm),
            page.group.endpoint(.get, "/hit/{hit}/answer", page.leadBack),
        ]
    }

    /// The responses at paths without an endpoint. The paths of single devices belong to this module, although other
    /// modules have endpoints below `/api/devices`.
    package var fallbacks: [Fallback] {
        let prefixes: [PathPattern] = ["/api", "/api/hits", "/api/devices", "/api/devices/{device}"]
        return [group.fallback(below: prefixes, .notFound), page.group.fallback(below: ["/hit"], .taskNotFound)]
    }

    package var jobs: [ScheduledJob] {
        [ScheduledJob(name: "humantasks-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp.run)]
    }

    package var services: [any Service] { [presence] }

    private var group: EndpointGroup<HumanTasksError> {
        EndpointGroup(Self.source, HumanTasksError.self, logger: logger)
    }
}
