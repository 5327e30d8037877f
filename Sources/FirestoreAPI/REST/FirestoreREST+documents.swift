import FirestoreProtos

/// The methods of one document or collection, whose arguments are in the URL.
extension FirestoreREST {
    func getDocument(_ name: String, _ call: RESTCall) async throws(FirestoreStatus) -> RESTAnswer {
        var request = Google_Firestore_V1_GetDocumentRequest()
        request.name = name
        if let mask = try call.parameters.mask(.mask) { request.mask = mask }
        if let transaction = try call.parameters.bytes(.transaction) { request.transaction = transaction }
        let isLatest = request.consistencySelector == nil
        if let time = try call.parameters.readTime(isAllowed: isLatest) { request.readTime = time }
        return try RESTAnswer(message: try await service.getDocument(request, as: call.caller))
    }

    func listDocuments(
        of collection: String, below parent: String, _ call: RESTCall
    ) async throws(FirestoreStatus) -> RESTAnswer {
        let parameters = call.parameters
        var request = Google_Firestore_V1_ListDocumentsRequest()
        request.parent = parent
        request.collectionID = collection
        request.pageSize = try parameters.integer(.pageSize) ?? 0
        request.pageToken = try parameters.text(.pageToken) ?? ""
        request.orderBy = try parameters.text(.orderBy) ?? ""
        request.showMissing = try parameters.boolean(.showMissing) ?? false
        if let mask = try parameters.mask(.mask) { request.mask = mask }
        if let transaction = try parameters.bytes(.transaction) { request.transaction = transaction }
        let isLatest = request.consistencySelector == nil
        if let time = try parameters.readTime(isAllowed: isLatest) { request.readTime = time }
        return try RESTAnswer(message: try await service.listDocuments(request, as: call.caller))
    }

    func createDocument(
        in collection: String, below parent: String, _ call: RESTCall
    ) async throws(FirestoreStatus) -> RESTAnswer {
        var request = Google_Firestore_V1_CreateDocumentRequest()
        request.parent = parent
        request.collectionID = collection
        request.documentID = try call.parameters.text(.documentID) ?? ""
        request.document = try call.message()
        if let mask = try call.parameters.mask(.mask) { request.mask = mask }
        return try RESTAnswer(message: try await service.createDocument(request, as: call.caller))
    }

    func updateDocument(_ name: String, _ call: RESTCall) async throws(FirestoreStatus) -> RESTAnswer {
        var request = Google_Firestore_V1_UpdateDocumentRequest()
        request.document = try call.message(\.name, name)
        if let mask = try call.parameters.mask(.updateMask) { request.updateMask = mask }
        if let mask = try call.parameters.mask(.mask) { request.mask = mask }
        if let precondition = try call.parameters.precondition() { request.currentDocument = precondition }
        return try RESTAnswer(message: try await service.updateDocument(request, as: call.caller))
    }

    func deleteDocument(_ name: String, _ call: RESTCall) async throws(FirestoreStatus) -> RESTAnswer {
        var request = Google_Firestore_V1_DeleteDocumentRequest()
        request.name = name
        if let precondition = try call.parameters.precondition() { request.currentDocument = precondition }
        return try RESTAnswer(message: try await service.deleteDocument(request, as: call.caller))
    }
}
