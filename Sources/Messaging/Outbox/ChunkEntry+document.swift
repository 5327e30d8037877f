internal import DocumentStore

/// A target as a chunk's document has it, a map: `state` (`pending`, `accepted`, `rejected`), `device` (the registration's
/// id; or its whole path as `registration`, in chunks of several collections), `failures`? (`at`, `code` and `reason` of
/// each); while pending `token` and `notBefore`?; then `at`, and once rejected `code` and `reason`.
extension Chunk.Entry {
    func value(below collection: CollectionPath?) -> Value {
        var map = Fields(minimumCapacity: 3)
        if let registration {
            let isBelow = collection.map(registration.isIn) ?? false
            map[isBelow ? "device" : "registration"] = .string(isBelow ? registration.id : registration.description)
        }
        map["at"] = settledAt.map(Value.timestamp)
        if !failures.isEmpty { map["failures"] = .array(failures.map(\.value)) }
        switch state {
        case .accepted: map["state"] = .string("accepted")
        case .rejected(let code, let reason):
            map["state"] = .string("rejected")
            map["code"] = .string(code)
            map["reason"] = .string(reason)
        case .pending:
            map["state"] = .string("pending")
            map["token"] = target.map { .string($0.address.token.value) }
            map["notBefore"] = notBefore.map(Value.timestamp)
        }
        return .map(map)
    }

    init?(value: Value, lane: Lane, below collection: CollectionPath?) {
        guard let map = value.map, let state = Chunk.State(map) else { return nil }
        let registration =
            map["device"]?.string.flatMap { try? collection?.document($0) }
            ?? map["registration"]?.string.flatMap { try? DocumentPath($0) }
        self.init(registration: registration, state: state)
        settledAt = map["at"]?.timestamp
        failures = map["failures"]?.array?.compactMap(Chunk.FailedAttempt.init) ?? []
        guard state == .pending else { return }
        guard let token = map["token"]?.string else { return nil }
        target = Target(address: Address(token: RegistrationToken(token), lane: lane), registration: registration)
        notBefore = map["notBefore"]?.timestamp
    }
}

extension Chunk.State {
    fileprivate init?(_ map: Fields) {
        switch map["state"]?.string {
        case "pending": self = .pending
        case "accepted": self = .accepted
        case "rejected":
            guard let code = map["code"]?.string, let reason = map["reason"]?.string else { return nil }
            self = .rejected(code: code, reason: reason)
        default: return nil
        }
    }
}

extension Chunk.FailedAttempt {
    fileprivate var value: Value {
        .map(["at": .timestamp(at), "code": .string(code), "reason": .string(reason)])
    }

    fileprivate init?(_ value: Value) {
        guard let map = value.map, let at = map["at"]?.timestamp, let code = map["code"]?.string,
            let reason = map["reason"]?.string
        else { return nil }
        self.init(at: at, code: code, reason: reason)
    }
}
