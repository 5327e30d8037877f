/// The routes of writes that compare each element of an array with each of another.
extension Route {
    private static let documents = "projects/pushgate/databases/(default)/documents"
    private static let fields = [(name: "Authorization", value: "Bearer <admin>"), json]

    static let transforms = ["appendMissingElements", "removeAllFromArray"].map { transform in
        // Most commits are small, because a megabyte takes the fuzzer itself a second.
        Route(
            "transforms", "POST", "/v1/\(documents):commit", fields,
            Array(repeating: commit(transform, of: 0..<20), count: 19) + [commit(transform, of: 0..<30_000)],
            expected: [200, 400])
    }

    /// Returns a write with a transform of the elements after another that adds as many, of which half are the same.
    private static func commit(_ transform: String, of numbers: Range<Int>) -> String {
        let others = numbers.map { $0 + numbers.count / 2 }
        return """
            {"writes":[{"update":{"name":"\(documents)/notes/transformed-<n>"},"updateMask":{},"updateTransforms":[\
            {"fieldPath":"list","appendMissingElements":{"values":[\(values(others))]}},\
            {"fieldPath":"list","\(transform)":{"values":[\(values(numbers))]}}]}]}
            """
    }

    private static func values(_ numbers: some Sequence<Int>) -> String {
        numbers.map { #"{"integerValue":"\#($0)"}"# }.joined(separator: ",")
    }
}
