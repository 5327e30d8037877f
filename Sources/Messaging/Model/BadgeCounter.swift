package import DocumentStore

/// A number in a document that the app's badge shows. A message that waits is sent with the number of that time.
package struct BadgeCounter: Hashable, Sendable {
    /// The document.
    package let document: DocumentPath
    /// The field with the number.
    package let field: String

    package init(_ field: String, in document: DocumentPath) {
        self.document = document
        self.field = field
    }
}

/// The stored form, a map: `document`, `field`.
extension BadgeCounter {
    var value: Value { .map(["document": .string(document.description), "field": .string(field)]) }

    init?(value: Value) {
        guard let document = value.map?["document"]?.string.flatMap({ try? DocumentPath($0) }),
            let field = value.map?["field"]?.string
        else { return nil }
        self.init(field, in: document)
    }
}
