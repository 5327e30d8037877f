import Cryptography
import DocumentStore
import Messaging

/// The upgrade of devices that older versions stored with hexadecimal tokens in the spelling of the caller. In a system
/// whose devices have no id but their token, each spelling was a device of its own; they become one.
extension DeviceRegistry {
    /// The number of devices that are read at once.
    private static let page = 500

    /// Stores all tokens in their canonical spelling, and merges twins.
    func upgradeTokens() async throws(StoreError) {
        var query = Query.collection(collection).ordered(by: .documentName).limited(to: Self.page)
        while true {
            let documents = try await store.documents(matching: query)
            for document in documents { try await upgradeToken(of: document) }
            guard documents.count == Self.page, let last = documents.last else { return }
            query.start = Cursor([.reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    /// Stores the token in its canonical spelling. A device that changes meanwhile stays for the next run.
    private func upgradeToken(of document: Document) async throws(StoreError) {
        guard let text = document[Field.token]?.string else { return }
        let token = RegistrationToken(text)
        guard !token.isCanonical else { return }
        do {
            _ = try await store.commit(try await writes(upgrading: document, token.canonical))
        } catch {
            guard [.failedPrecondition, .alreadyExists, .notFound].contains(error.code) else { throw error }
        }
    }

    private func writes(
        upgrading document: Document, _ token: RegistrationToken
    ) async throws(StoreError) -> [Write] {
        let spelling: Fields = [Field.token: .string(token.value)]
        let isUnchanged = Precondition.updateTime(document.updateTime)
        guard document.hasIDOfToken else { return [.merge(document.path, spelling, precondition: isUnchanged)] }
        let path = try collection.document(token.digest)
        let twin = try await store.document(at: path)
        let newer = twin.map { $0.registeredAt >= document.registeredAt ? $0 : document } ?? document
        var fields = newer.fields.merging(spelling)
        fields[Field.createdAt] = [document[Field.createdAt], twin?[Field.createdAt]]
            .compactMap { $0?.timestamp }.min().map(Value.timestamp)
        return [
            .delete(document.path, precondition: isUnchanged),
            .set(path, fields, precondition: twin.map { Precondition.updateTime($0.updateTime) } ?? .exists(false)),
        ]
    }
}

extension Document {
    /// `true` if the id is the digest of the token as it is spelled in the document.
    fileprivate var hasIDOfToken: Bool {
        self[DeviceRegistry.Field.token]?.string.map { path.id == SHA256.hexadecimal(of: $0) } ?? false
    }

    fileprivate var registeredAt: Timestamp { self[DeviceRegistry.Field.updatedAt]?.timestamp ?? updateTime }
}
