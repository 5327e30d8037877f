import CCurl
package import HTTPTypes

/// An owner of header lines for libcurl. Another list may follow, and then lives at least as long.
final class HeaderList: @unchecked Sendable {  // because it never changes after init, not even by libcurl
    /// The first line. The lines of the following list come after the last own one.
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?
    private var last: UnsafeMutablePointer<curl_slist>?
    private let following: HeaderList?

    /// Makes a list of the fields, followed by another list. Suppresses the fields that libcurl adds itself, unless
    /// they are among the given ones.
    init(_ fields: HTTPFields, followedBy following: HeaderList? = nil) {
        self.following = following
        for field in fields {
            // A line without a value would remove the field. With a semicolon, libcurl sends an empty value.
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

    /// Adds the lines that suppress libcurl's own fields. A following list has such lines already.
    private func suppressAdditions(except fields: HTTPFields) {
        for name in Self.addedByCurl where !fields.contains(name) { append("\(name):") }
    }

    private func append(_ line: String) {
        // NULL means that memory is short. The list stays as it is, and still belongs to this object.
        guard let node = curl_slist_append(nil, line) else { return }
        if let last { last.pointee.next = node } else { pointer = node }
        last = node
    }

    private static let addedByCurl: [HTTPField.Name] = [.accept, .contentType, .expect]
}

/// Header fields that many requests share, converted to libcurl's form once.
package final class SharedHeaderFields: Sendable {
    let list: HeaderList

    /// Converts the fields. A request must not have the same fields of its own, because both would be sent.
    package init(_ fields: HTTPFields) { list = HeaderList(fields) }
}
