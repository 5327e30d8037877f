public import HTTPTypes

/// Header fields that many requests have in common, put into libcurl's form once.
public final class SharedHeaderFields: Sendable {
    let list: HeaderList

    /// Makes them ready. A field that a request has here must not be among its own too: both would be sent.
    public init(_ fields: HTTPFields) { list = HeaderList(fields) }
}
