import DocumentStore
import HTTPTypes
import JSON
import Messaging

/// The creation and reading of tasks.
extension HumanTasks {
    /// The maximum number of tasks in one response.
    static let longestList = 50

    // MARK: Creating

    @Sendable func createHit(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        let distribution = try HitDistribution(try await request.jsonObject(limit: Self.maximumBodyBytes))
        try distribution.check()
        if let seconds = newTasks.admit(device.id, count: distribution.count, at: now().seconds) {
            throw HumanTasksError.tooManyTasks(retryAfter: seconds)
        }
        let hits = try await create(distribution.requests { "grp_" + makeID() }, of: device.id)
        return FunctionResponse(status: .created, body: .object(json(hits, distribution, request)))
    }

    /// Stores new tasks in one commit, under unused ids.
    private func create(_ requests: [HitRequest], of device: String) async throws -> [Hit] {
        while true {
            let time = now()
            let hits = requests.map { Hit(id: makeID(), of: device, $0, at: time, lifetime: settings.lifetime) }
            if try await tryCreate(hits) { return hits }
            try Task.checkCancellation()
        }
    }

    private func tryCreate(_ hits: [Hit]) async throws(StoreError) -> Bool {
        do {
            var writes: [Write] = []
            for hit in hits { writes.append(.create(try HumanTasksDocuments.hit(hit.id), hit.fields)) }
            _ = try await store.commit(writes)
            return true
        } catch {
            guard error.code == .alreadyExists else { throw error }
            return false
        }
    }

    private func json(
        _ hits: [Hit], _ distribution: HitDistribution, _ request: FunctionRequest
    ) -> JSONObject {
        guard let first = hits.first else { return [:] }
        guard let mode = distribution.request.mode else { return json(first, request, isOwner: true) }
        guard mode == .individual else {
            var json = json(first, request, isOwner: true)
            json["distribution_mode"] = .string(mode.rawValue)
            if mode == .group { json["participants"] = .array(distribution.participants.map(JSONValue.string)) }
            return json
        }
        let links = hits.map { hit -> JSONValue in
            [
                "name": .string(hit.request.recipientName), "id": .string(hit.id),
                "url": .string(url(of: hit, request)),
            ]
        }
        return [
            "distribution_mode": .string(mode.rawValue), "group_id": .string(first.request.groupID ?? ""),
            "hits": .array(links), "count": .integer(Int64(hits.count)),
            "sender_name": .string(first.request.senderName), "task_description": .string(first.request.task),
            "created_at": .string(first.createdAt.inMilliseconds),
        ]
    }

    // MARK: Showing

    @Sendable func listHits(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        var query = try hits(of: device.id).ordered(by: FieldPath(Hit.Field.place), .descending)
            .limited(to: Self.longestList)
        if let group = request.query["group_id"] {
            query = query.where(FieldPath(HitRequest.groupIDField), .equal, .string(group))
        }
        let hits = unreadable.models(of: try await store.documents(matching: query)) { Hit($0) }
        return FunctionResponse(
            body: [
                "hits": .array(hits.map { .object(json($0, request, isOwner: true)) }),
                "count": .integer(Int64(hits.count)),
            ])
    }

    /// Returns a query for the tasks of a device, created before the given time if there is one.
    func hits(of device: String, before time: Timestamp? = nil) throws(StoreError) -> Query {
        let place = FieldPath(Hit.Field.place)
        // The places of a device begin with its id and "/"; the next character after "/" is "0".
        let end = time.map { "\(device)/\($0)" } ?? device + "0"
        return Query.collection(try HumanTasksDocuments.allHits())
            .where(place, .greaterThan, .string(device + "/")).where(place, .lessThan, .string(end))
    }

    /// Shows a task. The first GET request starts the task; a HEAD request does not.
    @Sendable func showHit(_ request: FunctionRequest) async throws -> FunctionResponse {
        let hit = try await opened(try await hit(of: request), isLooking: request.method == .get)
        let isOwner = try await optionalDevice(calling: request)?.id == hit.deviceID
        return FunctionResponse(body: .object(json(hit, request, isOwner: isOwner)))
    }

    /// Starts the task if it is viewed for the first time. Returns it unchanged if the store cannot write, because it
    /// can still be read.
    func opened(_ hit: Hit, isLooking: Bool) async throws -> Hit {
        guard isLooking, hit.status(at: now()) == .pending else { return hit }
        do {
            return try await changing(hit.id) { hit in
                if hit.status(at: now()) == .pending { hit.startedAt = now() }
                return Change(result: ())
            }.hit
        } catch let error as StoreError where error.code == .resourceExhausted || error.code == .unavailable {
            return hit
        }
    }

    @Sendable func completeHit(_ request: FunctionRequest) async throws -> FunctionResponse {
        let id = try await hit(of: request).id
        let completed = try await changing(id) { hit in
            let time = now()
            guard hit.completedAt == nil else { throw HumanTasksError.alreadyCompleted }
            try complete(&hit, at: time)
            return Change(message: HitNotification.completed(hit), result: time)
        }
        return FunctionResponse(
            body: [
                "id": .string(id), "status": "completed",
                "photo_count": .integer(Int64(completed.hit.photoCount)),
                "completed_at": .string(completed.result.inMilliseconds),
            ])
    }

    func complete(_ hit: inout Hit, at time: Timestamp) throws(HumanTasksError) {
        try hit.checkOpen(at: time)
        hit.startedAt = hit.startedAt ?? time
        hit.completedAt = time
    }

    // MARK: Finding

    /// Returns the task in the path.
    func hit(of request: FunctionRequest) async throws -> Hit {
        guard let id = request.parameters["hit"], HitID.isWellFormed(id),
            let hit = try await store.document(at: try HumanTasksDocuments.hit(id)).flatMap(Hit.init)
        else { throw HumanTasksError.hitNotFound }
        return hit
    }

    /// Returns the task in the path if it belongs to the caller. A task of another device is treated as missing.
    func ownHit(of request: FunctionRequest) async throws -> Hit {
        let device = try await device(calling: request)
        let hit = try await hit(of: request)
        guard hit.deviceID == device.id else { throw HumanTasksError.hitNotFound }
        return hit
    }

    private func json(_ hit: Hit, _ request: FunctionRequest, isOwner: Bool) -> JSONObject {
        hit.json(url: url(of: hit, request), isOwner: isOwner, now: now())
    }

    private func url(of hit: Hit, _ request: FunctionRequest) -> String { baseURL(request) + "/hit/" + hit.id }

    /// Returns the beginning of links.
    func baseURL(_ request: FunctionRequest) -> String { settings.publicURL ?? request.origin ?? "" }
}
