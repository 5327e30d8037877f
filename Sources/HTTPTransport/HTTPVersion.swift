/// The version of HTTP that carried an answer.
public enum HTTPVersion: String, Sendable, Hashable {
    case http1 = "HTTP/1.1"
    case http2 = "HTTP/2"
}
