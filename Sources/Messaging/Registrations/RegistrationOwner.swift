package import DocumentStore

/// The holder of a browser's registration token, such as a paired device. The token ends with its owner.
///
/// An owner has one registration. Each names the other: the registration its owner, the owner's document the id of the
/// registration. A registration that another client has made since then names another owner, or none, and stays when
/// this one ends.
package struct RegistrationOwner: Sendable {
    /// The field of an owner's document with the id of its registration.
    package static let field = "registration"

    /// The error of an owner that has ended.
    package struct Ended: Error {
        package init() {}
    }

    /// The owner's document, which exists as long as the owner does.
    package let path: DocumentPath
    /// The writes that record a use of the owner in its document. They belong into each commit of what it does, which
    /// fails if the owner has ended, with `NOT_FOUND` if nothing else is required of the document.
    let use: [Write]

    /// - Parameter use: Updates of the owner's document that record its use.
    package init(at path: DocumentPath, use: [Write] = []) {
        self.path = path
        self.use = use
    }

    /// The name in the registration.
    var name: String { path.description }

    /// Returns `true` if a registration is this owner's.
    func owns(_ registration: Document) -> Bool {
        registration[RegistrationDocuments.Field.owner]?.string == name
    }

    /// Returns the writes that note a registration in the owner's document, with those of ``use``. They belong into the
    /// registration's commit, which fails with `FAILED_PRECONDITION` if the owner has ended, or was used for another
    /// registration at the same moment: that one would not end with it.
    ///
    /// - Parameter document: The owner's document, as ``endRegistration(except:in:)`` has returned it.
    func writes(noting fid: String, in document: Document) -> [Write] {
        let isUnchanged = Precondition.updateTime(document.updateTime)
        return [.merge(path, [Self.field: .string(fid)], precondition: isUnchanged)] + use
    }

    /// Removes the registration that the owner has, with its topics, unless it is the given one.
    ///
    /// - Returns: The owner's document, which this does not change.
    /// - Throws: ``Ended`` if the owner has ended.
    func endRegistration(except fid: String, in store: any DocumentStore) async throws -> Document {
        guard let document = try await store.document(at: path) else { throw Ended() }
        guard let former = document[Self.field]?.string, former != fid else { return document }
        let registration = try RegistrationDocuments.registration(former)
        while let known = try await store.document(at: registration), owns(known) {
            if try await RegistrationStore(store: store).remove([known]) == 1 { break }
        }
        return document
    }

    /// Returns the writes that remove an owner's registration with its topics; none if it has no registration. They
    /// belong into the commit that removes the owner.
    ///
    /// - Parameter document: The owner's document, with the field ``field`` at least.
    package static func writes(
        ending document: Document, in store: any DocumentStore
    ) async throws(StoreError) -> [Write] {
        guard let fid = document[field]?.string,
            let registration = try await store.document(at: RegistrationDocuments.registration(fid)),
            RegistrationOwner(at: document.path).owns(registration)
        else { return [] }
        guard let writes = try await RegistrationStore(store: store).removal(of: registration) else {
            throw StoreError(.failedPrecondition, "the registration has changed")
        }
        return writes
    }
}
