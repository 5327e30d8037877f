import TestBasics

/// Texts that often break programs.
enum OddText {
    /// Texts for a JSON string, in escaped form.
    static let strings = [
        "", " ", "\\t", ".", "..", "/", "a/b", "../../etc/passwd", "__x__", "null", "0", "-1", "1e999", "\\u0000",
        "\\ud83d",
        "\\ud83d\\ude00", "é", "e\u{301}", "\u{202E}abc", "😀", "emulated:", "emulated:\\n", "<script>", "' OR 1=1 --",
        "%s%n",
        "\\\\", "2026-11-22T10:00:00Z", "9999-99-99T99:99:99Z", "2026-02-30T10:00:00.1234567890123Z", "-9999999999s",
        "9223372036854775808", "1ms", "\u{FEFF}", "a\u{0}b", "\\r\\nX-A: b",
    ]

    /// Texts for a path or a query, in escaped form.
    static let segments = [
        "", ".", "..", "%2e%2e", "%2F", "%252F", "%00", "%", "%zz", "%u0041", "%C3%A9", "%C3", "%FF%FE", "a%20b", "a+b",
        "*",
        "**", ":", "x:listCollectionIds", "v1:batchAdd", "__x__", "(default)", "%28default%29", "documents", "~",
        ";a=b",
        "emulated:x", "-1", "0", "99999999999999999999", "null", "'", "\"", "{", "}", "|", "^", "`", "é", "😀",
    ]

    /// Ends of a name, in the form of a path: what ends a C string or a line, acts on a terminal, or changes the
    /// character before it.
    static let nameEnds = [
        "%00", "%00x", "%01", "%0A", "%0D%0A", "%1B%5B31m", "%7F", "%C2%9B", "%CC%81", "%E2%80%AE", "%E2%84%AA",
    ]

    /// Names of JSON members, some of which are equal for those who do not compare bytes.
    static let memberNames = ["", "__proto__", "token", "\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{0}", "a\nb"]

    /// Texts for numbers, without durations, so that no request waits long.
    static let numbers = [
        "0", "1", "-1", "-0", "+1", "1.5", "1e3", "255", "256", "65536", "2147483648", "4294967296",
        "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "18446744073709551616", "00", "0x10", "1_000", "", "NaN", "١",
    ]

    /// Texts for header fields. None has a line end, so that the request stays one request.
    static let values = [
        "", " ", ",", ",,,", ";", "\"", "\"unended", "*/*", "é", "\u{7F}", "\t", "a\tb", "text/html",
        "application/json",
        "application/json; charset=\"utf-8", "multipart/form-data", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\\\"\"", "multipart/mixed; boundary=Ffc0d1e2", "Bearer", "Bearer  x",
        "bearer x",
        "Basic dXNlcjpwYXNz", "Bearer é", "close", "keep-alive", "upgrade, http2-settings", "websocket", "h2c",
        "identity",
        "gzip", "trailers", "100-continue", "bytes=0-0", "bytes=5-", "bytes=-1", "W/\"x\"",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "respond-async", "respond-async, wait=10", "127.0.0.1", "::1", "[::1]:80", "for=127.0.0.1;proto=https",
        "999.1.1.1",
        "1.2.3.4, 5.6.7.8", "null", "http://evil.example", "https://127.0.0.1", "127.0.0.1:99999", "a b", "user@host",
        "-1", "0",
        "9999999999999999999",
    ]

    /// Names of header fields that programs read.
    static let names = [
        "Host", "Authorization", "Content-Type", "Accept", "Accept-Encoding", "Connection", "Keep-Alive", "Upgrade",
        "HTTP2-Settings", "Expect", "Range", "If-None-Match", "If-Modified-Since", "Prefer", "X-Forwarded-For",
        "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "Origin", "Referer", "Cookie", "User-Agent", "TE",
        "Trailer",
        "X-API-Key", "X-Device-ID", "X-Claudiator-Device-Id", "X-HTTP-Method-Override", "X-Goog-Api-Key", "Via", "Date",
        "Sec-Purpose", "Sec-Fetch-Site", "Content-Encoding", "Content-Range", "Proxy-Authorization", "Max-Forwards",
    ]

    static let methods = [
        "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "get", "PoSt", "QUERY",
        "M-SEARCH",
        "PURGE", "LINK",
    ]
}
