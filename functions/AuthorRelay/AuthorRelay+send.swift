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
        let message = try RelayedMessage(try await object(in: request))
        let mark = try RelayDocuments.send(message.id, with: credential)
        let documents = try await store.documents(at: [
            try RelayDocuments.installation(message.address), try RelayDocuments.address(message.address), mark,
        ])
        let installation = documents[0].flatMap(Installation.init)
        let secret = try secret(credential, of: installation, request)
        guard let registration = documents[1], let device = DeviceRegistry.fields.address(in: registration) else {
            await noteEnd(of: installation, at: message.address)
            throw RelayError.gone
        }
        guard secret.revokedAt == nil else { throw RelayError.unauthorized }
        try limits.admitMessage(with: secret, to: message.address, at: now().seconds)
        guard documents[2] == nil else { return answer(isNew: false) }
        let parcel = try parcel(of: message, for: device, registration, installation?.neutralText ?? neutralText)
        return answer(isNew: try await accept(message, parcel, with: secret, marking: mark))
    }

    /// Reads the body. Its greatest size is not that of an app's calls.
    private func object(in request: FunctionRequest) async throws(RelayError) -> JSONObject {
        do throws(JSONBodyError) {
            return try await request.jsonObject(limit: Self.maximumSendBytes)
        } catch {
            throw error == .unreadable(.tooLarge)
                ? RelayError.tooLarge("the body", Self.maximumSendBytes) : RelayError(error)
        }
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

    /// A message in the form for its push service, and its target.
    private typealias Parcel = (message: Message, target: Target)

    private func parcel(
        of message: RelayedMessage, for device: PushAddress, _ registration: Document, _ neutralText: NeutralText
    ) throws -> Parcel {
        guard let card = message.card else {
            let target = Target(address: device, registration: try RelayDocuments.address(message.address))
            return (message.message(over: device.transport, neutralText), target)
        }
        guard let shows = CardRegistration(registration), let phone = shows.startToken else {
            throw RelayError.invalid("the phone shows no cards: send an alert")
        }
        if card.event == .start { try limits.admitCard(on: message.address, at: now().seconds) }
        let name = card.name(at: message.address)
        let content = try card.message(
            message.content, named: name, isUrgent: message.isUrgent, neutralText, at: now().seconds)
        let isSlow = !shows.hasFrequentUpdates
        let address: PushAddress
        if card.event == .start {
            address = CardAddress.token(phone, device.app, isSlow: isSlow)
        } else if let token = CardToken.token(of: name, in: registration) {
            address = CardAddress.token(token, device.app, isSlow: isSlow)
        } else {
            address = CardAddress.changes(of: name, on: phone, device.app, isSlow: isSlow)
        }
        // The token is none of the registration's: its end costs the phone nothing else.
        return (content, Target(address: address, registration: nil))
    }

    /// Stores a message for delivery, with the mark by which a repetition is recognized.
    ///
    /// - Returns: `false` if the same message was accepted at the same moment.
    private func accept(
        _ message: RelayedMessage, _ parcel: Parcel, with secret: SendSecret, marking mark: DocumentPath
    ) async throws(StoreError) -> Bool {
        let time = now()
        var draft = Draft(
            message: parcel.message, lifetime: message.lifetime, source: Self.source, owner: message.address.text,
            registrationFields: DeviceRegistry.fields)
        draft.followsRegistrations = message.card == nil
        var writes = [Write.create(mark, [RelayDocuments.acceptedAt: .timestamp(time)])]
        if secret.isStale(at: time) {
            writes.append(secret.use(at: time, in: try RelayDocuments.installation(message.address)))
        }
        do throws(StoreError) {
            _ = try await outbox.accept(draft, to: [parcel.target], alongside: writes)
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
