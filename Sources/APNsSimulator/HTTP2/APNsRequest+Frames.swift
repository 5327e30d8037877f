import NIOHPACK

extension APNsRequest {
    /// The head of a request, from the fields of its HEADERS frame.
    init(_ headers: HPACKHeaders) {
        self.init(method: "", path: "", headers: [])
        self.headers.reserveCapacity(headers.count)
        for (name, value, _) in headers {
            switch name {
            case ":method": method = value
            case ":path": path = value
            default: if !name.hasPrefix(":") { self.headers.append((name, value)) }
            }
        }
    }
}
