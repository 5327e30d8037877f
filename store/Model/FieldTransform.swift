/// A change of one field that depends on the field's value, or on the commit's time.
public struct FieldTransform: Sendable {
    /// The kind of transform, as in Firestore.
    public enum Operation: Sendable {
        /// Sets the field to the commit's time, which no other commit has.
        case serverTime
        /// Sets the field to the commit's time cut to milliseconds, as Firestore's `REQUEST_TIME`.
        case requestTime
        /// Adds a number. The sum of two integers is clamped to the range of 64 bits; with a double, the sum is a
        /// double. A missing or non-numeric field becomes the number.
        case increment(Value)
        /// Sets the field to the greater of its value and this number: its own if they are equal, NaN if one is NaN.
        /// A missing or non-numeric field becomes the number.
        case maximum(Value)
        /// Sets the field to the lesser of its value and this number, as ``maximum(_:)`` does the greater.
        case minimum(Value)
        /// Appends the elements that the array lacks, each once; 1 and 1.0 are equal. A missing field, or one of
        /// another type, counts as an empty array.
        case arrayUnion([Value])
        /// Removes all elements that equal one of these. A missing field, or one of another type, becomes an empty
        /// array.
        case arrayRemove([Value])
    }

    /// The field to change.
    public let field: FieldPath
    /// The kind of transform.
    public let operation: Operation

    /// Checks nothing: an operand that is no number where one is needed fails the commit with `INVALID_ARGUMENT`.
    public init(_ field: FieldPath, _ operation: Operation) {
        self.field = field
        self.operation = operation
    }
}
