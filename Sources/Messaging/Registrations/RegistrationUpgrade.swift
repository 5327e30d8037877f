package import DocumentStore

/// The upgrade of registrations of device tokens. Older versions stored each spelling of a hexadecimal token as a
/// registration of its own; they become one, with the topics of all.
package struct RegistrationUpgrade: Sendable {
    private typealias Field = RegistrationDocuments.Field

    private let store: any DocumentStore
    private let key: RegistrationTokenKey

    /// The number of registrations that are read at once.
    private static let page = 500
    /// The number of subscriptions that are moved in one commit. Each is four writes at most.
    private static let batch = 100

    /// Creates the upgrade of a store, whose registrations were made with the key.
    package init(store: any DocumentStore, key: RegistrationTokenKey) {
        self.store = store
        self.key = key
    }

    /// Merges all registrations whose tokens are not in the canonical spelling. One that changes meanwhile stays for
    /// the next run.
    ///
    /// - Returns: the number of merged registrations.
    @discardableResult
    package func run() async throws(StoreError) -> Int {
        var query = Query.collection(try CollectionPath(RegistrationDocuments.registrations))
            .ordered(by: .documentName).limited(to: Self.page)
        query.projection = [FieldPath(Field.token)]
        var count = 0
        while true {
            let documents = try await store.documents(matching: query)
            for document in documents where document.isMisspelled {
                if try await merge(document.path) { count += 1 }
            }
            guard documents.count == Self.page, let last = documents.last else { return count }
            query.start = Cursor([.reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    /// Moves a registration to the place of its canonical token, in as many commits as its topics need.
    ///
    /// - Returns: `false` if one of the documents changed meanwhile.
    private func merge(_ path: DocumentPath) async throws(StoreError) -> Bool {
        while let old = try await store.document(at: path), let registration = Registration(old) {
            let token = registration.token.canonical
            let fid = key.fid(ofDevice: token.value, app: "")
            let topics = try await topics(of: path.id)
            var writes = try await writes(moving: topics, from: path.id, to: fid, token)
            writes.append(try await write(merging: old, at: fid, token))
            let isLast = topics.count < Self.batch
            // The registration goes last: until then, the next run finds the rest.
            if isLast { writes.append(.delete(path, precondition: .updateTime(old.updateTime))) }
            guard try await tryCommit(writes) else { return false }
            if isLast { return true }
        }
        return false
    }

    /// Returns `false` if a document has changed, or was created, since it was read.
    private func tryCommit(_ writes: [Write]) async throws(StoreError) -> Bool {
        do {
            _ = try await store.commit(writes)
            return true
        } catch {
            guard error.code == .failedPrecondition || error.code == .alreadyExists else { throw error }
            return false
        }
    }

    /// Returns the write of the merged registration: the newer of the two, with the earlier time of creation.
    private func write(
        merging old: Document, at fid: String, _ token: RegistrationToken
    ) async throws(StoreError) -> Write {
        let path = try RegistrationDocuments.registration(fid)
        let twin = try await store.document(at: path)
        let newer = twin.map { $0.registeredAt >= old.registeredAt ? $0 : old } ?? old
        var fields = newer.fields
        fields[Field.token] = .string(token.value)
        fields[Field.deviceToken] = .string(token.value)
        fields[Field.createdAt] = [old[Field.createdAt], twin?[Field.createdAt]]
            .compactMap { $0?.timestamp }.min().map(Value.timestamp)
        return .set(path, fields, precondition: twin.map { Precondition.updateTime($0.updateTime) } ?? .exists(false))
    }

    private func topics(of fid: String) async throws(StoreError) -> [Document] {
        try await store.documents(
            matching: .collection(try RegistrationDocuments.subscriptions(of: fid)).limited(to: Self.batch))
    }

    /// Returns the writes that move subscriptions. A topic that the other registration has keeps its subscription.
    private func writes(
        moving topics: [Document], from fid: String, to other: String, _ token: RegistrationToken
    ) async throws(StoreError) -> [Write] {
        guard !topics.isEmpty else { return [] }
        let subscriptions = try RegistrationDocuments.subscriptions(of: other)
        var paths: [DocumentPath] = []
        for topic in topics { paths.append(try subscriptions.document(topic.path.id)) }
        var writes: [Write] = []
        for (topic, outcome) in zip(topics, try await store.outcomes(at: paths)) {
            for path in try RegistrationDocuments.ends(of: fid, topic.path.id) { writes.append(.delete(path)) }
            if case .success(let own?) = outcome, own[Field.token]?.string == token.value { continue }
            var fields = topic.fields
            fields[Field.token] = .string(token.value)
            for path in try RegistrationDocuments.ends(of: other, topic.path.id) { writes.append(.set(path, fields)) }
        }
        return writes
    }
}

extension Document {
    /// `true` if the registration's token is a device token in another spelling than the canonical one.
    fileprivate var isMisspelled: Bool {
        guard let token = self[RegistrationDocuments.Field.token]?.string else { return false }
        return !RegistrationToken(token).isCanonical
    }

    fileprivate var registeredAt: Timestamp {
        self[RegistrationDocuments.Field.registeredAt]?.timestamp ?? updateTime
    }
}
