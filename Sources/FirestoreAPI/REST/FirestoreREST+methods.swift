import FirestoreProtos

/// The methods with a name, whose arguments are in the body. The database or the parent is in the path.
extension FirestoreREST {
    func answer(
        _ method: RESTMethod, of name: String, _ call: RESTCall
    ) async throws(FirestoreStatus) -> RESTAnswer {
        switch method {
        case .batchGet, .runQuery, .runAggregationQuery: try await stream(method, of: name, call)
        case .commit:
            try RESTAnswer(message: try await service.commit(call.message(\.database, name), as: call.caller))
        case .batchWrite:
            try RESTAnswer(message: try await service.batchWrite(call.message(\.database, name), as: call.caller))
        case .beginTransaction:
            try RESTAnswer(
                message: try await service.beginTransaction(call.message(\.database, name), as: call.caller))
        case .rollback:
            try RESTAnswer(message: try await service.rollback(call.message(\.database, name), as: call.caller))
        case .listCollectionIds:
            try RESTAnswer(message: try await service.listCollectionIDs(call.message(\.parent, name), as: call.caller))
        case .partitionQuery:
            try RESTAnswer(message: try await service.partitionQuery(call.message(\.parent, name), as: call.caller))
        case .executePipeline, .listen, .write:
            throw FirestoreStatus(.unimplemented, "The method \(method.rawValue) is not implemented.")
        }
    }

    private func stream(
        _ method: RESTMethod, of name: String, _ call: RESTCall
    ) async throws(FirestoreStatus) -> RESTAnswer {
        switch method {
        case .batchGet: try await batchGet(of: name, call)
        case .runQuery: try await runQuery(below: name, call)
        default: try await runAggregationQuery(below: name, call)
        }
    }

    private func batchGet(of name: String, _ call: RESTCall) async throws(FirestoreStatus) -> RESTAnswer {
        let request: Google_Firestore_V1_BatchGetDocumentsRequest = try call.message(\.database, name)
        let stream = RESTStream<Google_Firestore_V1_BatchGetDocumentsResponse>(call, on: service.largeRequests) {
            [service] (write) async throws(FirestoreStatus) -> Void in
            try await service.batchGetDocuments(request, as: call.caller, write: write)
        }
        return try await stream.answer()
    }

    private func runQuery(below name: String, _ call: RESTCall) async throws(FirestoreStatus) -> RESTAnswer {
        let request: Google_Firestore_V1_RunQueryRequest = try call.message(\.parent, name)
        let stream = RESTStream<Google_Firestore_V1_RunQueryResponse>(call, on: service.largeRequests) {
            [service] (write) async throws(FirestoreStatus) -> Void in
            try await service.runQuery(request, as: call.caller) { try await write($0.message) }
        }
        return try await stream.answer()
    }

    private func runAggregationQuery(
        below name: String, _ call: RESTCall
    ) async throws(FirestoreStatus) -> RESTAnswer {
        let request: Google_Firestore_V1_RunAggregationQueryRequest = try call.message(\.parent, name)
        let stream = RESTStream<Google_Firestore_V1_RunAggregationQueryResponse>(call, on: service.largeRequests) {
            [service] (write) async throws(FirestoreStatus) -> Void in
            try await service.runAggregationQuery(request, as: call.caller, write: write)
        }
        return try await stream.answer()
    }
}
