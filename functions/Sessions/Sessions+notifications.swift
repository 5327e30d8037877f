import DocumentStore
import JSON
import Messaging

/// The notifications for the app to read. Pushes can be lost; this list contains all notifications.
extension Sessions {
    private static let page = 50
    /// The maximum number of ids per request.
    private static let maximumIDs = 500

    /// Lists notifications by `created_at`, which is unique. A client that continues after the last one it has seen
    /// gets each notification once.
    @Sendable func listNotifications(_ request: FunctionRequest) async throws -> FunctionResponse {
        var after = Timestamp.distantPast
        if let text = request.query["after"], !text.isEmpty {
            guard let time = Timestamp(text) else { throw SessionsError.badRequest("after must be valid RFC 3339") }
            after = time
        }
        let createdAt = FieldPath(SessionNotification.Field.createdAt)
        let documents = try await store.documents(
            matching: .collection(try SessionsDocuments.notifications())
                .where(createdAt, .greaterThan, .timestamp(after)).ordered(by: createdAt)
                .limited(to: try request.limit(Self.page)))
        return .list("notifications", documents.map(\.notificationJSON))
    }

    /// Marks notifications as acknowledged. Unknown and deleted ids are ignored.
    @Sendable func acknowledge(_ request: FunctionRequest) async throws -> FunctionResponse {
        var paths = try Set(ids(in: try await request.jsonObject(limit: Self.maximumBodyBytes)).compactMap(Self.path))
            .sorted()
        while !paths.isEmpty {
            paths = try await store.documents(at: paths).compactMap { $0?.path }
            do {
                _ = try await store.commit(
                    paths.map { .update($0, [SessionNotification.Field.isAcknowledged: .boolean(true)]) })
                break
            } catch {
                // A notification was old and has been deleted at the same moment.
                guard error.code == .notFound else { throw error }
            }
        }
        return .done
    }

    private func ids(in object: JSONObject) throws(SessionsError) -> [String] {
        let lists = ["ids", "notification_ids"].compactMap { object[$0] }.filter { $0 != .null }
        guard !lists.isEmpty else { throw .badRequest("ids is required") }
        var ids: [String] = []
        for list in lists {
            guard let elements = list.array, case let texts = elements.compactMap(\.string),
                texts.count == elements.count
            else { throw .badRequest("ids must be a list of strings") }
            ids += texts
        }
        guard ids.count <= Self.maximumIDs else { throw .badRequest("at most \(Self.maximumIDs) ids at once") }
        return ids
    }

    /// Returns `nil` if the text is not a valid id.
    private static func path(_ id: String) -> DocumentPath? { try? SessionsDocuments.notification(id) }
}

extension Document {
    fileprivate var notificationJSON: JSONValue {
        typealias Field = SessionNotification.Field
        return [
            "id": .string(path.id), "event_id": eventNumber, "session_id": json(Field.sessionID),
            "device_id": json(Field.deviceID), "title": json(Field.title), "body": json(Field.body),
            "notification_type": json(Field.kind), "created_at": json(Field.createdAt),
            "acknowledged": json(Field.isAcknowledged),
        ]
    }
}

/// The phones, all of which receive every notification. In this system, a device is a machine that reports.
extension Sessions {
    private static let longestToken = 4_096

    /// Registers a phone. A repeated token replaces the earlier registration.
    @Sendable func registerPhone(_ request: FunctionRequest) async throws -> FunctionResponse {
        let object = try await request.jsonObject(limit: Self.maximumBodyBytes)
        let fields = LooseFields(object)
        let subscription = try phones.subscription(in: object)
        let standard = subscription == nil ? nil : "web"
        guard let platform = fields.text("platform", atMost: LooseFields.longestName) ?? standard else {
            throw SessionsError.badRequest("platform is required")
        }
        let token = fields.string("push_token")
        guard token == nil || subscription == nil else {
            throw SessionsError.badRequest(SubscriptionField.problem(beside: "push_token"))
        }
        let relayed = try phones.relayAddress(in: object, token: token, field: "push_token")
        let address =
            try (subscription ?? relayed).map(DeviceAddress.subscription) ?? Self.address(of: token, fields)
        if let token, relayed == nil { try phones.reach.forms.check(token, in: "push_token") }
        let liveActivity = try LiveActivityPart.read(
            fields, of: subscription != nil ? .browser : relayed != nil ? .relayed : .phone)
        let registered = try await phones.register(
            address, platform: platform, asksForReceipts: fields.asksForReceipts, liveActivity: liveActivity)
        if let liveActivity {
            try await cards?.take(
                liveActivity.tokens, of: registered.device.address.app, liveActivity.registration, source: Self.source)
        }
        var answer: JSONObject = ["status": "ok"]
        SubscriptionField.note(formerRemovedAt: registered.formerRemovedAt, in: &answer)
        return FunctionResponse(body: .object(answer))
    }

    private static func address(of token: String?, _ fields: LooseFields) throws(SessionsError) -> DeviceAddress {
        guard let token else { throw .badRequest("push_token is required") }
        guard token.utf8.count <= longestToken else {
            throw .badRequest("push_token must be at most \(longestToken) bytes long")
        }
        return .token(token, environment: environment(isSandbox: fields.boolean("sandbox") == true))
    }

    /// Returns the name of the environment that the contract's `sandbox` stands for.
    static func environment(isSandbox: Bool) -> String { isSandbox ? "sandbox" : "production" }
}
