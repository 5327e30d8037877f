import DocumentStore
import FirestoreProtos
import SwiftProtobuf

/// A search for the documents whose vectors are nearest to a given one. It compares the vector of each document.
struct NearestNeighbors: Sendable {
    /// The greatest number of results, which is Firestore's.
    private static let most: Int32 = 1_000

    /// The field with the vectors.
    let field: FieldPath
    let vector: [Double]
    let measure: DistanceMeasure
    let limit: Int
    /// The field of a result for its distance; `nil` for none.
    let resultField: FieldPath?
    /// The furthest distance of a result; `nil` for any.
    let threshold: Double?

    /// Reads a search.
    ///
    /// - Throws: `INVALID_ARGUMENT` if a part of it is missing or not valid.
    init(_ proto: Google_Firestore_V1_StructuredQuery.FindNearest) throws(FirestoreStatus) {
        guard proto.hasLimit, (1...Self.most).contains(proto.limit.value) else {
            throw .invalid("FindNearest.limit must be a positive integer of no more than \(Self.most)")
        }
        guard let measure = DistanceMeasure(proto.distanceMeasure) else {
            throw .invalid("Unknown Distance Measure.")
        }
        guard proto.hasQueryVector, let vector = try Value(proto.queryVector).vector, !vector.isEmpty else {
            throw .invalid("Query Value must be of type vector.")
        }
        self.vector = vector
        self.measure = measure
        limit = Int(proto.limit.value)
        field = try FieldPath(proto.vectorField)
        resultField = try Self.resultField(proto.distanceResultField)
        threshold = proto.hasDistanceThreshold ? proto.distanceThreshold.value : nil
    }

    private static func resultField(_ text: String) throws(FirestoreStatus) -> FieldPath? {
        guard !text.isEmpty else { return nil }
        var reference = Google_Firestore_V1_StructuredQuery.FieldReference()
        reference.fieldPath = text
        let field = try FieldPath(reference)
        guard field != .documentName else {
            throw .invalid("Invalid reserved name in field path __name__")
        }
        return field
    }

    /// Returns the document as a candidate; `nil` if it has no vector of as many elements, or one that is too far.
    ///
    /// - Parameter place: the number of the query's results before it.
    func neighbor(_ document: Document, at place: Int) -> Neighbor? {
        guard let other = document.fields.value(at: field.segments[...])?.vector, other.count == vector.count else {
            return nil
        }
        let distance = measure.distance(from: vector, to: other)
        guard measure.isDistance(distance, within: threshold) else { return nil }
        return Neighbor(document: document, distance: distance, rank: measure.rank(of: distance), place: place)
    }

    /// Returns the document of a result, with its distance if the search asks for that.
    func document(of neighbor: Neighbor) -> Document {
        guard let resultField else { return neighbor.document }
        var fields = neighbor.document.fields
        fields.set(.double(neighbor.distance), at: resultField.segments[...])
        return Document(
            path: neighbor.document.path, fields: fields, createTime: neighbor.document.createTime,
            updateTime: neighbor.document.updateTime)
    }
}

extension Fields {
    /// Returns the value at a path through maps; `nil` if there is none.
    fileprivate func value(at segments: ArraySlice<String>) -> Value? {
        guard let name = segments.first, let value = self[name] else { return nil }
        return segments.count == 1 ? value : value.map?.value(at: segments.dropFirst())
    }

    /// Sets the value at a path and makes the maps on the way.
    fileprivate mutating func set(_ value: Value, at segments: ArraySlice<String>) {
        guard let name = segments.first else { return }
        guard segments.count > 1 else {
            self[name] = value
            return
        }
        var inner = self[name]?.map ?? [:]
        inner.set(value, at: segments.dropFirst())
        self[name] = .map(inner)
    }
}
