import CCurl
package import HTTPTypes

/// A complete response.
package struct HTTPClientResponse: Sendable {
    /// The status code, such as 200. A response with any status is a success of the client.
    package let statusCode: Int
    private let head: ResponseHead
    /// The header fields, followed by the trailer fields. They are parsed at each use.
    package var headerFields: HTTPFields { head.fields }
    /// The server's time in `Date` (RFC 9110 §6.6.1), in seconds since 1970; `nil` if the field is missing or not
    /// valid.
    package var date: Int64? {
        guard let text = headerFields[.date] else { return nil }
        let time = curl_getdate(text, nil)
        return time < 0 ? nil : Int64(time)
    }
    /// The time to wait before another request (`Retry-After`, RFC 9110 §10.2.3), in seconds or until a date of the
    /// server's clock; `nil` if the field is missing or not valid.
    package var retryAfter: Duration? {
        guard let text = headerFields[.retryAfter] else { return nil }
        if let seconds = UInt32(text) { return .seconds(seconds) }
        let time = Int64(curl_getdate(text, nil))
        guard time >= 0, let date else { return nil }
        return .seconds(max(0, time - date))
    }
    /// The body, at most as long as the configuration allows.
    package let body: [UInt8]
    /// The version of HTTP of this response.
    package let version: HTTPVersion
    /// The number of connections opened for this request; 0 if it used an open one.
    package let connectionsOpened: Int
    /// The time from the start on a connection until the response was complete.
    package let duration: Duration

    init(
        statusCode: Int, head: ResponseHead, body: [UInt8], version: HTTPVersion, connectionsOpened: Int,
        duration: Duration
    ) {
        self.statusCode = statusCode
        self.head = head
        self.body = body
        self.version = version
        self.connectionsOpened = connectionsOpened
        self.duration = duration
    }
}

/// The lines of a response's head, beginning with the status line. They are parsed on request only, which is rare.
struct ResponseHead: Sendable {
    private var bytes: [UInt8] = []

    /// Adds a line with its line break.
    mutating func append(_ line: UnsafeRawBufferPointer) { bytes.append(contentsOf: line) }

    /// The fields, trailers included. Lines without a colon or a valid name are left out.
    var fields: HTTPFields {
        var fields = HTTPFields()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
            else { continue }
            let value = line[(colon + 1)...].trimmingWhitespace()
            fields.append(HTTPField(name: name, value: String(decoding: value, as: UTF8.self)))
        }
        return fields
    }
}

extension ArraySlice<UInt8> {
    /// Returns the bytes without optional white space and line breaks at both ends (RFC 9110 §5.5).
    fileprivate func trimmingWhitespace() -> Self {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return []
        }
        return self[first...last]
    }
}
