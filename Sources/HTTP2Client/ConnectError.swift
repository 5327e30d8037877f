/// The reason for which there is no connection.
struct ConnectError: Error {
    let kind: HTTP2ClientError.Kind
    let message: String
}
