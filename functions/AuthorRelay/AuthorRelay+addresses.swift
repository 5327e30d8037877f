import DocumentStore
import HTTPTypes
import JSON
import Messaging

/// The addresses of installations: registered at every launch of the app, and closed by it.
extension AuthorRelay {
    /// `POST /relay/v1/addresses`: gives an installation its address, and takes its present token.
    @Sendable func registerAddress(_ request: FunctionRequest) async throws -> FunctionResponse {
        let call = try await registrationCall(request)
        let object = try call.object()
        let device = try device(in: object)
        let neutralText = try NeutralText(object["text"])
        let liveActivity = try liveActivity(in: object, of: device.address)
        let id = id(of: call)
        let answer: JSONValue = ["address": .string(id.address(at: try host(request))), "state": .string("registered")]
        let response = try await commit(call, of: id) { known in
            let facts = try admission.admit(
                Applicant(
                    key: call.key, time: call.time, now: now().seconds, proof: object["admission"]?.object ?? [:],
                    kept: known.installation?.admission))
            if known.installation == nil {
                try limits.admitNewInstallation(from: request.clientAddress, at: now().seconds)
            }
            let time = now()
            var installation = known.installation ?? Installation(at: time)
            installation.register(at: time, admission: facts, neutralText: neutralText)
            var fields = DeviceRegistry.fields.fields(of: device.address)
            fields[DeviceRegistry.Field.platform] = .string(device.platform)
            fields[DeviceRegistry.Field.createdAt] = .timestamp(known.registeredAt ?? time)
            fields[DeviceRegistry.Field.updatedAt] = .timestamp(time)
            fields[CardRegistration.field] = liveActivity?.registration.value
            fields[RelayDocuments.cardTokens] = liveActivity.flatMap { CardToken.value(of: $0.tokens) }
            let writes = [
                installation.write(to: try RelayDocuments.installation(id)),
                Write.set(try RelayDocuments.address(id), fields),
            ]
            return (writes, FunctionResponse(body: answer))
        }
        reach.check(device.address)
        return response
    }

    /// `GET /relay/v1/addresses/ID`: tells an installation if its address leads to it, and who may send.
    @Sendable func showAddress(_ request: FunctionRequest) async throws -> FunctionResponse {
        let (call, id) = try await addressCall(request)
        return try await commit(call, of: id) { known in
            guard let installation = known.installation else { throw RelayError.unknown }
            let body: JSONValue = [
                "state": .string(known.isRegistered ? "registered" : "gone"),
                "secrets": .array(installation.secrets.map(\.listed)),
            ]
            return ([], FunctionResponse(body: body))
        }
    }

    /// `DELETE /relay/v1/addresses/ID`: closes an address, with all its send secrets.
    @Sendable func closeAddress(_ request: FunctionRequest) async throws -> FunctionResponse {
        let (call, id) = try await addressCall(request)
        return try await commit(call, of: id) { known in
            guard var installation = known.installation else { throw RelayError.unknown }
            installation.close(at: now())
            let writes = [
                installation.write(to: try RelayDocuments.installation(id)), .delete(try RelayDocuments.address(id)),
            ]
            return (writes, FunctionResponse(status: .noContent, content: .none))
        }
    }

    /// `POST /relay/v1/addresses/ID/secrets`: makes a secret for one sender.
    @Sendable func createSecret(_ request: FunctionRequest) async throws -> FunctionResponse {
        let (call, id) = try await addressCall(request, "/secrets")
        _ = try call.object()
        let text = NewSendSecret()
        return try await commit(call, of: id) { known in
            guard var installation = known.installation, known.isRegistered else { throw RelayError.unknown }
            guard installation.secrets.count < Installation.maximumSecrets else {
                throw RelayError.invalid(
                    "the address has \(Installation.maximumSecrets) send secrets already; revoke one")
            }
            let secret = SendSecret(text, at: now())
            installation.add(secret)
            return (
                [installation.write(to: try RelayDocuments.installation(id))],
                FunctionResponse(body: ["id": .string(secret.id), "send_secret": .string(text.text)])
            )
        }
    }

    /// `DELETE /relay/v1/addresses/ID/secrets/SECRET`: revokes the secret of one sender.
    @Sendable func revokeSecret(_ request: FunctionRequest) async throws -> FunctionResponse {
        let secretID = request.parameters["secret"] ?? ""
        let (call, id) = try await addressCall(request, "/secrets/" + secretID)
        return try await commit(call, of: id) { known in
            guard var installation = known.installation, installation.revoke(secretID, at: now()) else {
                throw RelayError.unknown
            }
            return (
                [installation.write(to: try RelayDocuments.installation(id))],
                FunctionResponse(status: .noContent, content: .none)
            )
        }
    }

    /// Returns the host in addresses, as senders reach the relay. An app that knows the relay by a former name keeps
    /// that: the gateways that have the address may take no other.
    private func host(_ request: FunctionRequest) throws(RelayError) -> RelayHost {
        let called = request.origin.flatMap { RelayHost(inURL: $0) }
        if let called, settings.formerHosts.contains(called) { return called }
        guard let host = publicHost ?? called else {
            throw .invalid("the request names no host; the relay's author can set http.publicUrl")
        }
        return host
    }
}

extension SendSecret {
    /// The secret as its installation sees it, without anything that could be used to send.
    fileprivate var listed: JSONValue {
        var json: JSONObject = ["id": .string(id), "created_at": .integer(createdAt.seconds)]
        json["last_used_at"] = lastUsedAt.map { .integer($0.seconds) }
        return .object(json)
    }
}
