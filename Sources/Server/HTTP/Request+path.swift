package import Hummingbird

extension Request {
    /// The path without the query, as in ``uri``, without a copy of a path that begins with a slash.
    package var pathText: Substring {
        guard let target = head.path, target.utf8.first == UInt8(ascii: "/") else { return uri.path[...] }
        return Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
    }

    /// The same request with a path in which no character is percent-encoded without need.
    ///
    /// Routes and names are compared with this path, so `%28default%29` matches `(default)`, and `messages%3Asend`
    /// matches `messages:send`. Escapes that would change the structure of the path (`%2F`), and those that are
    /// necessary (`%25`, spaces, other scripts), stay. The code that uses such a segment decodes it, once.
    package var withNormalizedPath: Request {
        guard let target = head.path, let normalized = RequestTarget.normalized(target) else { return self }
        var head = head
        head.path = normalized
        return Request(head: head, body: body)
    }
}
