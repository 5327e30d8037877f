internal import DocumentStore
internal import Messaging

/// What changes together with a task.
struct Change<Result: Sendable>: Sendable {
    var writes: [Write] = []
    /// What its device is told.
    var message: Message?
    let result: Result
}

/// Changes of tasks, in one commit each with what is said of them.
extension HumanTasks {
    /// Has the body change a task as it is now, and commits; again, when somebody else has changed it meanwhile.
    func changing<Result: Sendable>(
        _ id: String, _ body: (inout Hit) async throws -> Change<Result>
    ) async throws -> (hit: Hit, result: Result) {
        let path = try HumanTasksDocuments.hit(id)
        while true {
            guard let document = try await store.document(at: path), var hit = Hit(document) else {
                throw HumanTasksError.hitNotFound
            }
            let change = try await body(&hit)
            let write = Write.set(path, hit.fields, precondition: .updateTime(document.updateTime))
            do {
                try await commit([write] + change.writes, telling: change.message, hit.deviceID)
                return (hit, change.result)
            } catch let error as StoreError where error.code == .failedPrecondition {
                try Task.checkCancellation()
            }
        }
    }

    private func commit(_ writes: [Write], telling message: Message?, _ device: String) async throws {
        guard let message else {
            _ = try await store.commit(writes)
            return
        }
        try await outbox.send(
            message, of: "humantasks", owner: device, for: HitNotification.lifetime,
            to: [try await tokens.device(device)].compactMap(\.self),
            alongside: writes)
    }
}
