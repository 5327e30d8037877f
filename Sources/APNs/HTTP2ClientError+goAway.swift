internal import HTTP2Client
internal import JSON

extension HTTP2ClientError {
    /// Apple's reason for the end of the connection, of the JSON that its GOAWAY has; `nil` if there was none.
    var goAwayReason: String? {
        goAwayText.flatMap { try? JSONValue(parsing: Array($0.utf8)) }?["reason"]?.string
            .map { String($0.prefix(APNsAnswer.maximumReasonLength)) }
    }
}
