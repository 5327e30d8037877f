import DocumentStore
import HTTPTypes
import JSON
import Messaging

/// The record of a request that was accepted, so that a repetition gets its answer.
///
/// `idempotencyKeys/{digest of caller, path and key}`: `call`, `request` (the digest of the body), `at`, `excluded`,
/// `message`? (the id of the message; absent if there was no target), written by the commit that accepts the message;
/// and once it was answered `status`, `headers`? (names and values, one after the other) and `answer` (JSON as text).
struct IdempotencyRecord: Sendable {
    static let collection = "idempotencyKeys"
    static let acceptedAt = "at"
    /// The time for which a repetition gets the first answer.
    static let lifetime = Duration.seconds(86_400)

    let acceptance: MessageAcceptance
    let fingerprint: String
    let acceptedAt: Timestamp
    /// The answer; `nil` if none was stored.
    let answer: FunctionResponse?
    let updateTime: Timestamp

    /// Reads a record; `nil` if another program has changed it.
    init?(_ document: Document) {
        guard let fingerprint = document["request"]?.string,
            let acceptedAt = document[Self.acceptedAt]?.timestamp
        else { return nil }
        self.fingerprint = fingerprint
        self.acceptedAt = acceptedAt
        acceptance = MessageAcceptance(
            messageID: document["message"]?.string, excluded: Int(document["excluded"]?.integer ?? 0))
        answer = Self.answer(in: document)
        updateTime = document.updateTime
    }

    /// Returns `true` if a key counts as new again. A record of the future, as after a clock was set back, does not
    /// expire.
    func isExpired(at time: Timestamp) -> Bool { acceptedAt.adding(Self.lifetime) <= time }

    /// Returns the fields of a record that the commit of an acceptance writes.
    static func fields(of request: IdempotentRequest, _ acceptance: MessageAcceptance, at time: Timestamp) -> Fields {
        var fields: Fields = [
            "call": .string(request.call), "request": .string(request.fingerprint), acceptedAt: .timestamp(time),
            "excluded": .integer(Int64(acceptance.excluded)),
        ]
        fields["message"] = acceptance.messageID.map(Value.string)
        return fields
    }

    /// Returns the fields of an answer.
    static func fields(of answer: FunctionResponse) -> Fields {
        var fields: Fields = [
            "status": .integer(Int64(answer.status.code)), "answer": .string(answer.body.text),
        ]
        let headers = answer.headerFields.flatMap { [Value.string($0.name.rawName), .string($0.value)] }
        if !headers.isEmpty { fields["headers"] = .array(headers) }
        return fields
    }

    private static func answer(in document: Document) -> FunctionResponse? {
        guard let status = document["status"]?.integer, (100...999).contains(status),
            let text = document["answer"]?.string, let body = try? JSONValue(parsing: text)
        else { return nil }
        var headerFields: HTTPFields = [:]
        var texts = (document["headers"]?.array ?? []).compactMap(\.string)[...]
        while let name = texts.popFirst(), let value = texts.popFirst() {
            if let name = HTTPField.Name(name) { headerFields.append(HTTPField(name: name, value: value)) }
        }
        return FunctionResponse(
            status: HTTPResponse.Status(code: Int(status)), headerFields: headerFields, body: body)
    }
}
