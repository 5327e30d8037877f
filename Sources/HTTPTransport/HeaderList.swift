internal import CCurl
internal import HTTPTypes

/// Owns the list of header lines that libcurl sends.
final class HeaderList {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    /// The fields as given, and libcurl's own additions suppressed unless they are among them.
    init(_ fields: HTTPFields) {
        for field in fields {
            // A line without a value would remove the field; libcurl sends an empty one for a semicolon.
            append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        for name in Self.addedByCurl where !fields.contains(name) {
            append("\(name):")
        }
    }

    deinit {
        curl_slist_free_all(pointer)
    }

    private func append(_ line: String) {
        // NULL means that memory is short; the list so far stays as it is and is still ours.
        pointer = curl_slist_append(pointer, line) ?? pointer
    }

    private static let addedByCurl: [HTTPField.Name] = [.accept, .contentType, .expect]
}
