import Cryptography
import DocumentStore

/// The paths and fields of receipts, in one place.
///
/// `receipts/{message}`: `delivered` and `opened`, arrays with a mark for each device that has reported it. The
/// document is deleted in the commit that deletes its message.
enum ReceiptDocuments {
    static let collection = "receipts"
    private static let markLength = 16

    static func path(of message: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(collection).document(message)
    }

    /// Returns the mark of a device: the name itself is the app's own affair, and of any length.
    static func mark(of device: String) -> Value { .string(String(SHA256.hexadecimal(of: device).prefix(markLength))) }

    static func marks(_ kind: Receipt.Kind, in document: Document?) -> [Value] { document?[kind.rawValue]?.array ?? [] }
}

extension ReceiptCounts {
    /// Counts the marks of a document; `nil` if there is none.
    init?(_ document: Document?) {
        guard let document else { return nil }
        self.init(
            delivered: ReceiptDocuments.marks(.delivered, in: document).count,
            opened: ReceiptDocuments.marks(.opened, in: document).count)
    }
}
