import DocumentStore
import HTTPTypes
import JSON
import Logging
import Messaging
import Metrics

/// `POST /relay/v1/send`: takes a sealed message for an address.
extension AuthorRelay {
    /// The maximum size of a body, in bytes.
    private static let maximumSendBytes = 8 * 1024

    /// Accepts a message durably. The sender learns no more of the phone than that it is gone.
    @Sendable func send(_ request: FunctionRequest) async throws -> FunctionResponse {
        try limits.admitMessage(from: request.clientAddress, at: now().seconds)
        guard let credential = BearerCredential(authorization: request.headerFields[.authorization]) else {
            throw RelayError.noSendSecret
        }
        let message = try RelayedMessage(try await request.jsonObject(limit: Self.maximumSendBytes))
        let mark = try RelayDocuments.send(message.id, with: credential)
        let documents = try await store.documents(at: [
            try RelayDocuments.installation(message.address), try RelayDocuments.address(message.address), mark,
        ])
        let installation = documents[0].flatMap(Installation.init)
        let secret = try secret(credential, of: installation, request)
        guard let device = documents[1].flatMap({ DeviceRegistry.fields.address(in: $0) }) else {
            await noteEnd(of: installation, at: message.address)
            throw RelayError.gone
        }
        guard secret.revokedAt == nil else { throw RelayError.unauthorized }
        try limits.admitMessage(with: secret, to: message.address, at: now().seconds)
        guard documents[2] == nil else { return answer(isNew: false) }
        let notification = message.message(over: device.transport, installation?.neutralText ?? neutralText)
        return answer(isNew: try await accept(message, notification, for: device, with: secret, marking: mark))
    }

    /// Returns the secret of a credential, which may be revoked.
    ///
    /// A secret that the installation never had is like an unknown address: a relay that was restored from a backup
    /// does not know the secrets made since, and their senders must not give up at once. One of 32 random bytes cannot
    /// be guessed, so a right one is taken after any number of wrong ones: the other phones of a sender whose addresses
    /// the relay has lost go on.
    private func secret(
        _ credential: BearerCredential, of installation: Installation?, _ request: FunctionRequest
    ) throws(RelayError) -> SendSecret {
        if let secret = installation?.secret(credential) { return secret }
        guard
            case .tooManyFailures(let seconds) = request.verdict(
                on: credential, isRight: false, by: authentication, at: now().seconds)
        else { throw .unknown }
        throw .later(seconds)
    }

    /// Stores a message for delivery, with the mark by which a repetition is recognized.
    ///
    /// - Parameter notification: The form for the push service.
    /// - Returns: `false` if the same message was accepted at the same moment.
    private func accept(
        _ message: RelayedMessage, _ notification: Message, for device: PushAddress, with secret: SendSecret,
        marking mark: DocumentPath
    ) async throws(StoreError) -> Bool {
        let time = now()
        var draft = Draft(
            message: notification, lifetime: message.lifetime, source: Self.source, owner: message.address.text,
            registrationFields: DeviceRegistry.fields)
        draft.followsRegistrations = true
        let target = Target(address: device, registration: try RelayDocuments.address(message.address))
        var writes = [Write.create(mark, [RelayDocuments.acceptedAt: .timestamp(time)])]
        if secret.isStale(at: time) {
            writes.append(secret.use(at: time, in: try RelayDocuments.installation(message.address)))
        }
        do throws(StoreError) {
            _ = try await outbox.accept(draft, to: [target], alongside: writes)
            return true
        } catch {
            guard error.code == .alreadyExists else { throw error }
            return false
        }
    }

    /// The text for phones whose app has chosen none.
    private var neutralText: NeutralText { NeutralText(title: settings.title, body: settings.body) }

    private func answer(isNew: Bool) -> FunctionResponse {
        (isNew ? accepted : repeated).increment()
        return FunctionResponse(status: .accepted, body: ["result": "accepted"])
    }

    /// Notes that an address has ended, so that the clean-up forgets its secrets some time later. Without the note the
    /// next message finds the same.
    private func noteEnd(of installation: Installation?, at id: AddressID) async {
        do throws(StoreError) {
            guard let write = installation?.ending(at: now(), in: try RelayDocuments.installation(id)) else { return }
            _ = try await store.commit([write])
        } catch {
            logger.debug("failed to note the end of an address", metadata: ["error": "\(error)"])
        }
    }
}
