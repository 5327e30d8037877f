import NIOHPACK

extension APNsResponse {
    /// The fields of the HEADERS frame.
    ///
    /// Ids are different each time, so they stay out of HPACK's dynamic table.
    var headers: HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(4)
        headers.add(name: ":status", value: String(status))
        headers.add(name: "apns-id", value: apnsID, indexing: .nonIndexable)
        if let uniqueID { headers.add(name: "apns-unique-id", value: uniqueID, indexing: .nonIndexable) }
        if let retryAfter { headers.add(name: "retry-after", value: String(retryAfter)) }
        return headers
    }
}
