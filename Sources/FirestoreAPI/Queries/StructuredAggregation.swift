import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import Texts

/// The aggregations of a request, with the names of their results.
struct StructuredAggregation: Sendable {
    /// The aggregations. The store checks their number and their fields.
    let aggregations: [Aggregation]
    /// The name of each result. Those that the request leaves out are `field_1`, `field_2` and so on.
    let aliases: [String]

    /// `true` if no aggregation is over the values of a field.
    var onlyCounts: Bool {
        aggregations.allSatisfy { aggregation in
            switch aggregation {
            case .count, .countUpTo: true
            case .sum, .average: false
            }
        }
    }

    /// Reads the aggregations of a request.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one is not valid, or if two results have the same name or one that no field may
    ///   have.
    init(_ protos: [Google_Firestore_V1_StructuredAggregationQuery.Aggregation]) throws(FirestoreStatus) {
        var aggregations: [Aggregation] = []
        for proto in protos { aggregations.append(try Aggregation(proto)) }
        self.aggregations = aggregations
        aliases = try Self.aliases(protos.map(\.alias))
    }

    private static func aliases(_ given: [String]) throws(FirestoreStatus) -> [String] {
        var (aliases, known, unnamed) = ([String](), Set<ExactText>(), 0)
        for alias in given {
            if alias.isEmpty { unnamed += 1 }
            let name = alias.isEmpty ? "field_\(unnamed)" : alias
            do {
                try FieldPath.validate(name: name)
            } catch {
                throw FirestoreStatus(error)
            }
            guard known.insert(ExactText(name)).inserted else {
                throw .invalid("Aggregation aliases contain duplicate alias: \(name).")
            }
            aliases.append(name)
        }
        return aliases
    }

    /// Returns the values with the names of the results.
    func result(_ values: [Value]) -> Google_Firestore_V1_AggregationResult {
        var result = Google_Firestore_V1_AggregationResult()
        for (alias, value) in zip(aliases, values) {
            result.aggregateFields[ExactText(alias)] = Google_Firestore_V1_Value(value)
        }
        return result
    }
}

extension Aggregation {
    fileprivate init(_ proto: Google_Firestore_V1_StructuredAggregationQuery.Aggregation) throws(FirestoreStatus) {
        switch proto.operator {
        case .count(let count): self = count.hasUpTo ? .countUpTo(Int(count.upTo.value)) : .count
        case .sum(let sum): self = .sum(try FieldPath(sum.field))
        case .avg(let average): self = .average(try FieldPath(average.field))
        case nil: throw .invalid("Aggregation operator must be specified.")
        }
    }
}
