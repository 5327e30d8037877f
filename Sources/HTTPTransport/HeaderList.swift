internal import CCurl
internal import HTTPTypes

/// Owns a list of header lines that libcurl sends; another list may follow it, and is kept for as long.
final class HeaderList: @unchecked Sendable {  // because nothing changes it once it is made, libcurl included
    /// The first line; those of the list that follows come after the last.
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?
    private var last: UnsafeMutablePointer<curl_slist>?
    private let following: HeaderList?

    /// The fields as given, then those of the list that follows. libcurl's own additions are suppressed unless they are
    /// among them.
    init(_ fields: HTTPFields, followedBy following: HeaderList? = nil) {
        self.following = following
        for field in fields {
            // A line without a value would remove the field; libcurl sends an empty one for a semicolon.
            append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if let following { follow(following) } else { suppressAdditions(except: fields) }
    }

    deinit {
        guard let last else { return }
        last.pointee.next = nil
        curl_slist_free_all(pointer)
    }

    private func follow(_ list: HeaderList) {
        if let last { last.pointee.next = list.pointer } else { pointer = list.pointer }
    }

    /// Not where a list follows, which has done so already.
    private func suppressAdditions(except fields: HTTPFields) {
        for name in Self.addedByCurl where !fields.contains(name) { append("\(name):") }
    }

    private func append(_ line: String) {
        // NULL means that memory is short; the list so far stays as it is and is still ours.
        guard let node = curl_slist_append(nil, line) else { return }
        if let last { last.pointee.next = node } else { pointer = node }
        last = node
    }

    private static let addedByCurl: [HTTPField.Name] = [.accept, .contentType, .expect]
}
