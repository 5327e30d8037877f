extension Filter {
    /// The limits of a filter, which are Firestore's.
    private enum Most {
        static let comparedValues = 30
        static let excludedValues = 10
        static let disjunctions = 30
        /// The number of disjunctions at which the normalization stops. Duplicates may still reduce a smaller number.
        static let countedDisjunctions = 100
    }

    /// Checks the filter's fields, operands and their combination.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is not valid.
    func validate(in database: DatabaseID) throws(StoreError) {
        try validateConditions(in: database)
        try validateCombination()
    }

    private func validateConditions(in database: DatabaseID) throws(StoreError) {
        switch self {
        case .or(let filters) where filters.isEmpty:
            throw .invalid("Composite filter must have at least one sub-filter.")
        case .and(let filters), .or(let filters):
            for filter in filters { try filter.validateConditions(in: database) }
        case .unary(let field, _):
            guard !field.isDocumentName else { throw .invalid("__key__ filter value must be a Key") }
            try field.validate()
        case .field(let field, let comparison, let operand):
            let values = try Self.values(of: operand, for: comparison)
            if field.isDocumentName {
                try Self.validateNames(values, comparison, in: database)
            } else {
                try field.validate()
                for value in values { try value.validate(depth: 0) }
            }
        }
    }

    private static func validateNames(
        _ names: [Value], _ comparison: Comparison, in database: DatabaseID
    ) throws(StoreError) {
        guard comparison != .arrayContains, comparison != .arrayContainsAny else {
            throw .invalid("the name __key__ is reserved")
        }
        for name in names { _ = try name.documentPath(in: database, isStored: false) }
    }

    /// Returns the values that a field is compared with.
    private static func values(of operand: Value, for comparison: Comparison) throws(StoreError) -> [Value] {
        guard let name = comparison.listName else { return [operand] }
        guard let elements = operand.array else { throw .invalid("'\(name)' requires an ArrayValue.") }
        guard !elements.isEmpty else { throw .invalid("'\(name)' requires an non-empty ArrayValue.") }
        let most = comparison == .notIn ? Most.excludedValues : Most.comparedValues
        guard elements.count <= most else { throw .invalid("'\(name)' supports up to \(most) comparison values.") }
        return elements
    }
}

extension Filter.Comparison {
    /// The wire's name of a comparison with several values; `nil` for others.
    fileprivate var listName: String? {
        switch self {
        case .in: "IN"
        case .notIn: "NOT_IN"
        case .arrayContainsAny: "ARRAY_CONTAINS_ANY"
        default: nil
        }
    }
}

extension Value {
    /// Returns the path of a referenced document.
    ///
    /// - Parameter isStored: `true` to accept the ids that only earlier versions stored, such as that of the last
    ///   document before a position.
    /// - Throws: `INVALID_ARGUMENT` unless this is a reference to a document of the database.
    package func documentPath(in database: DatabaseID, isStored: Bool = true) throws(StoreError) -> DocumentPath {
        guard case .reference(let name) = self else { throw .invalid("__key__ filter value must be a Key") }
        return try isStored ? DocumentPath(storedName: name, in: database) : DocumentPath(name: name, in: database)
    }
}

// MARK: Combinations

/// The rules for combinations, which limit the number of alternatives that an engine searches.
extension Filter {
    fileprivate func validateCombination() throws(StoreError) {
        var tally = FilterTally()
        tally.add(self)
        guard tally.negations <= 1 else {
            throw .invalid(
                "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.")
        }
        guard !tally.hasNotIn || !tally.hasAlternatives else {
            throw .invalid("'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.")
        }
        guard tally.hasAlternatives || tally.arrayConditions > 1 else { return }
        for conditions in try disjunctions() where conditions.count(where: { $0.isArrayCondition }) > 1 {
            throw .invalid("A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.")
        }
    }

    /// Returns the filter as alternatives, of which each is a set of conditions that must all hold.
    private func disjunctions() throws(StoreError) -> Set<Set<FilterCondition>> {
        let alternatives = try alternatives()
        guard alternatives.count <= Most.disjunctions else { throw Self.tooManyDisjunctions(alternatives.count) }
        return alternatives
    }

    private static func tooManyDisjunctions(_ count: Int) -> StoreError {
        .invalid(
            "Too many disjunctions after normalization. Result had \(count) disjunctions which is more than the "
                + "maximum of \(Most.disjunctions)")
    }

    private func alternatives() throws(StoreError) -> Set<Set<FilterCondition>> {
        switch self {
        case .and(let filters):
            var product: Set<Set<FilterCondition>> = [[]]
            for filter in filters { product = try Self.product(of: product, try filter.alternatives()) }
            return product
        case .or(let filters):
            var sum: Set<Set<FilterCondition>> = []
            for filter in filters { try Self.add(try filter.alternatives(), to: &sum) }
            return sum
        case .field(let field, let comparison, let operand):
            let elements = operand.array ?? []
            switch comparison {
            case .in: return Set(elements.map { Set([FilterCondition(field, .equal, $0)]) })
            case .arrayContainsAny: return Set(elements.map { Set([FilterCondition(field, .arrayContains, $0)]) })
            default: return [[FilterCondition(field, comparison, operand)]]
            }
        case .unary(let field, let comparison): return [[FilterCondition(field, comparison)]]
        }
    }

    private static func product(
        of left: Set<Set<FilterCondition>>, _ right: Set<Set<FilterCondition>>
    ) throws(StoreError) -> Set<Set<FilterCondition>> {
        var product: Set<Set<FilterCondition>> = []
        for one in left { try add(Set(right.map { one.union($0) }), to: &product) }
        return product
    }

    private static func add(
        _ alternatives: Set<Set<FilterCondition>>, to sum: inout Set<Set<FilterCondition>>
    ) throws(StoreError) {
        sum.formUnion(alternatives)
        guard sum.count <= Most.countedDisjunctions else { throw tooManyDisjunctions(sum.count) }
    }
}

/// The numbers of conditions in a filter that its validation needs.
private struct FilterTally {
    var negations = 0
    var arrayConditions = 0
    var hasNotIn = false
    /// `true` if the filter has a condition with several alternatives.
    var hasAlternatives = false

    mutating func add(_ filter: Filter) {
        switch filter {
        case .and(let filters): for filter in filters { add(filter) }
        case .or(let filters):
            hasAlternatives = true
            for filter in filters { add(filter) }
        case .unary(_, let comparison): if comparison.isNegation { negations += 1 }
        case .field(_, let comparison, _):
            if comparison.isNegation { negations += 1 }
            switch comparison {
            case .notIn: hasNotIn = true
            case .in: hasAlternatives = true
            case .arrayContains: arrayConditions += 1
            case .arrayContainsAny:
                arrayConditions += 1
                hasAlternatives = true
            default: break
            }
        }
    }
}

/// A condition without alternatives. Two conditions are equal if they match the same values.
private struct FilterCondition: Hashable {
    private let field: FieldPath?
    private let comparison: Filter.Comparison?
    private let test: Filter.UnaryComparison?
    private let key: [UInt8]

    init(_ field: FieldPath, _ comparison: Filter.Comparison, _ operand: Value) {
        let isNever = operand.equalsNothing && (comparison == .equal || comparison == .arrayContains)
        // It counts as a condition on an array all the same.
        let isKept = !isNever || comparison == .arrayContains
        self.field = isKept ? field : nil
        self.comparison = isKept ? comparison : nil
        test = nil
        key = isNever ? [] : SortKey(operand).bytes
    }

    init(_ field: FieldPath, _ test: Filter.UnaryComparison) {
        self.field = field
        comparison = nil
        self.test = test
        key = []
    }

    var isArrayCondition: Bool { comparison == .arrayContains }
}
