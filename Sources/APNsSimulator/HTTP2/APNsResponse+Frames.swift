import Foundation
import NIOHPACK

extension APNsResponse {
    /// The fields of the HEADERS frame.
    ///
    /// Ids are different each time, so they stay out of HPACK's dynamic table.
    var headers: HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(5)
        headers.add(name: ":status", value: String(status))
        headers.add(name: "date", value: Self.text(ofDate: date))
        headers.add(name: "apns-id", value: apnsID, indexing: .nonIndexable)
        if let uniqueID { headers.add(name: "apns-unique-id", value: uniqueID, indexing: .nonIndexable) }
        if let retryAfter { headers.add(name: "retry-after", value: String(retryAfter)) }
        return headers
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    static func text(ofDate seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return text.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
