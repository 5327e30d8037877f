/// Runs the work for each element, at most `limit` at a time, and returns the results in the elements' order.
package func concurrently<Element: Sendable, Result: Sendable>(
    _ elements: [Element], limit: Int, _ work: @escaping @Sendable (Element) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var results: [Int: Result] = [:]
        for (index, element) in elements.enumerated() {
            if index >= limit, let (done, result) = try await group.next() { results[done] = result }
            group.addTask { (index, try await work(element)) }
        }
        while let (done, result) = try await group.next() { results[done] = result }
        return elements.indices.compactMap { results[$0] }
    }
}
