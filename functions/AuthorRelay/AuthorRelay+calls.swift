import DocumentStore

/// The shared parts of the calls that an installation signs.
extension AuthorRelay {
    /// The maximum size of a body, in bytes. A proof of App Attest takes most of it.
    static let maximumBodyBytes = 32 * 1024
    /// The number of attempts at a commit while other calls change the same documents.
    private static let maximumAttempts = 5
    private static let root = "/relay/v1/addresses"

    /// The documents of an installation as a call finds them.
    struct Known: Sendable {
        /// `nil` if it has never registered, or was forgotten.
        let installation: Installation?
        /// `true` if the address leads to a phone.
        let isRegistered: Bool
        /// The time of the address's first registration; `nil` if it has none.
        let registeredAt: Timestamp?
    }

    /// Counts and checks a call.
    ///
    /// - Parameter rest: The path below that of all addresses.
    private func signedCall(_ request: FunctionRequest, _ rest: String) async throws -> SignedCall {
        try limits.admitCall(from: request.clientAddress, at: now().seconds)
        let body: [UInt8]
        do throws(RequestBodyError) {
            body = try await request.readBody(Self.maximumBodyBytes)
        } catch {
            throw JSONBodyError.unreadable(error)
        }
        return try SignedCall(request, at: Self.root + rest, body: body, now: now().seconds)
    }

    /// Checks a registration.
    func registrationCall(_ request: FunctionRequest) async throws -> SignedCall { try await signedCall(request, "") }

    /// Checks a call about an address. An installation learns nothing of the addresses of others.
    ///
    /// - Parameter rest: The path below that of the address.
    func addressCall(
        _ request: FunctionRequest, _ rest: String = ""
    ) async throws -> (call: SignedCall, id: AddressID) {
        let text = request.parameters["id"] ?? ""
        let call = try await signedCall(request, "/" + text + rest)
        let id = id(of: call)
        guard id.text == text else { throw RelayError.unknown }
        return (call, id)
    }

    func id(of call: SignedCall) -> AddressID { AddressID(of: call.key, under: addressSecret) }

    /// Commits a call's changes together with the use of its signature, so that it counts once.
    ///
    /// - Parameter work: Returns the changes and the answer; called again if another call was faster.
    func commit(
        _ call: SignedCall, of id: AddressID, _ work: (Known) throws -> (writes: [Write], answer: FunctionResponse)
    ) async throws -> FunctionResponse {
        let paths = [
            try RelayDocuments.installation(id), try RelayDocuments.address(id),
            try RelayDocuments.signature(call.mark),
        ]
        for _ in 0..<Self.maximumAttempts {
            let documents = try await store.documents(at: paths)
            guard documents[2] == nil else {
                throw RelayError.unsigned("the signature has counted before; make a new one")
            }
            let known = Known(
                installation: documents[0].flatMap(Installation.init), isRegistered: documents[1] != nil,
                registeredAt: documents[1]?[DeviceRegistry.Field.createdAt]?.timestamp)
            let (writes, answer) = try work(known)
            do throws(StoreError) {
                _ = try await store.commit(writes + [try call.use(at: now())])
                return answer
            } catch {
                guard [.alreadyExists, .failedPrecondition, .notFound].contains(error.code) else { throw error }
            }
        }
        throw RelayError.unavailable
    }
}
