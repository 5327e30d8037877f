/// The reason why a body could not be read.
public enum RequestBodyError: Error, Hashable, Sendable {
    /// It is larger than the limit, by its `Content-Length`, by what arrived, or decoded.
    case tooLarge
    /// The client went away, stopped sending, or broke the framing, before its end.
    case incomplete
    /// Its `Content-Encoding` is not gzip.
    case unsupportedEncoding
    /// It is not the gzip that its `Content-Encoding` says it is.
    case malformedEncoding
}

extension RequestBodyError {
    public static let unsupportedEncodingText =
        "Content-Encoding can be gzip, and nothing else: send the body as gzip, or as it is"
    public static let malformedEncodingText = "the body is not valid gzip, as its Content-Encoding says it is"
    /// The value of `Accept-Encoding` in an answer to another coding (RFC 9110 §15.5.16).
    public static let acceptedEncodings = "gzip"
}
