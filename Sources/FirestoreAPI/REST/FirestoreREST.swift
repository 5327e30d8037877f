/// Firestore's REST API over the same handlers as gRPC
/// ([reference](https://firebase.google.com/docs/firestore/reference/rest)), in its versions `v1` and `v1beta1`, with
/// the removal of all documents as in Google's emulator.
package struct FirestoreREST: Sendable {
    let service: FirestoreService

    package init(_ service: FirestoreService) { self.service = service }

    /// Answers a request. A failure is an answer too.
    package func answer(_ request: RESTRequest, as caller: FirestoreCaller) async -> RESTAnswer {
        do throws(FirestoreStatus) {
            let route = try RESTRoute(request)
            guard let method = route.rpc else {
                return try await answer(try RESTCall(request, at: route, as: caller), at: route)
            }
            return try await service.observing(method, as: caller) {
                (caller: FirestoreCaller) async throws(FirestoreStatus) -> RESTAnswer in
                try await service.largeRequests.run(request.body.count, for: caller) {
                    () async throws(FirestoreStatus) -> RESTAnswer in
                    let memory = route.isAnsweredWithStream ? service.readMemory : service.requestMemory
                    let reservation = try memory.reserve(
                        try JSONScan.elements(of: request.body, mostWrites: route.mostWrites))
                    defer { withExtendedLifetime(reservation) {} }
                    return try await answer(RESTCall(request, at: route, as: caller), at: route).keeping(reservation)
                }
            }
        } catch {
            return RESTAnswer(error: error)
        }
    }

    private func answer(_ call: RESTCall, at route: RESTRoute) async throws(FirestoreStatus) -> RESTAnswer {
        switch route {
        case .getDocument(let name): try await getDocument(name, call)
        case .listDocuments(let parent, let collection): try await listDocuments(of: collection, below: parent, call)
        case .createDocument(let parent, let collection): try await createDocument(in: collection, below: parent, call)
        case .updateDocument(let name): try await updateDocument(name, call)
        case .deleteDocument(let name): try await deleteDocument(name, call)
        case .call(let method, let name): try await answer(method, of: name, call)
        case .listDatabases(let project): try await listDatabases(of: project, call)
        case .clear(let name): try await clear(name, call)
        }
    }
}
