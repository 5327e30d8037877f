internal import DocumentStore
internal import HTTPTypes
internal import JSON
internal import Messaging

/// Asking, and what becomes of it.
extension HumanTasks {
    /// How many tasks a device's list has at the most.
    private static let longestList = 200

    @Sendable func createHit(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        let asked = try HitRequest(try await object(of: request))
        if let seconds = newTasks.admit(device.id, at: now().seconds) {
            throw HumanTasksError.tooManyTasks(retryAfter: seconds)
        }
        while true {
            let hit = Hit(id: makeID(), of: device.id, asked, at: now(), lifetime: configuration.lifetime)
            if try await isStored(hit) { return FunctionResponse(status: .created, body: json(hit, request)) }
            try Task.checkCancellation()
        }
    }

    /// Stores a new task, unless there is one of its id.
    private func isStored(_ hit: Hit) async throws(StoreError) -> Bool {
        do {
            _ = try await store.commit([.create(try HumanTasksDocuments.hit(hit.id), hit.fields)])
            return true
        } catch {
            guard error.code == .alreadyExists else { throw error }
            return false
        }
    }

    @Sendable func listHits(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        let place = FieldPath(Hit.Field.place)
        // What begins with the device: "0" comes after "/".
        let query = Query.collection(try HumanTasksDocuments.allHits())
            .where(place, .greaterThan, .string(device.id + "/")).where(place, .lessThan, .string(device.id + "0"))
            .ordered(by: place, .descending).limited(to: Self.longestList)
        let hits = unreadable.models(of: try await store.documents(matching: query)) { Hit($0) }
        return FunctionResponse(body: .array(hits.map { json($0, request) }))
    }

    /// Whoever looks first has begun; whoever asks for the head alone has not looked.
    @Sendable func showHit(_ request: FunctionRequest) async throws -> FunctionResponse {
        let hit = try await opened(try await hit(of: request), isLooking: request.method == .get)
        return FunctionResponse(body: json(hit, request))
    }

    /// The task, begun when somebody looks at it; as it is while nothing can be written, for it can be read.
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

    /// The task of a path.
    func hit(of request: FunctionRequest) async throws -> Hit {
        guard let id = request.parameters["hit"], HitID.isWellFormed(id),
            let hit = try await store.document(at: try HumanTasksDocuments.hit(id)).flatMap(Hit.init)
        else { throw HumanTasksError.hitNotFound }
        return hit
    }

    /// The task of a path, when it is the caller's. Somebody else's is as good as none.
    func ownHit(of request: FunctionRequest) async throws -> Hit {
        let device = try await device(calling: request)
        let hit = try await hit(of: request)
        guard hit.deviceID == device.id else { throw HumanTasksError.hitNotFound }
        return hit
    }

    private func json(_ hit: Hit, _ request: FunctionRequest) -> JSONValue {
        hit.json(url: baseURL(request) + "/hit/" + hit.id, now: now())
    }

    /// What links begin with.
    func baseURL(_ request: FunctionRequest) -> String { configuration.publicURL ?? request.origin ?? "" }
}
