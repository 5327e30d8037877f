import SwiftProtobuf

/// A request whose route is known: its content, and its client.
struct RESTCall: Sendable {
    let parameters: RESTParameters
    let body: [UInt8]
    let caller: FirestoreCaller

    /// Reads the parameters of a request.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the route does not have one of them.
    init(_ request: RESTRequest, at route: RESTRoute, as caller: FirestoreCaller) throws(FirestoreStatus) {
        parameters = try RESTParameters(request.query, of: route)
        body = request.body
        self.caller = caller
    }

    /// Returns the body as a message; an empty body is an empty message. Fields may be in lowerCamelCase or in
    /// snake_case, and values of enumerations texts or numbers.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the body is not JSON of this message, or has a field that the message lacks.
    func message<Content: Message>() throws(FirestoreStatus) -> Content {
        guard !body.isEmpty else { return Content() }
        do {
            return try Content(jsonUTF8Bytes: body)
        } catch {
            throw .invalid("Payload isn't valid for request.")
        }
    }

    /// Returns the body as a message, with a name from the path in one of its fields.
    ///
    /// - Throws: The errors of ``message()``.
    func message<Content: Message>(
        _ field: WritableKeyPath<Content, String>, _ name: String
    ) throws(FirestoreStatus) -> Content {
        var message: Content = try message()
        message[keyPath: field] = name
        return message
    }
}
