/// The routes of queries with as many filters and orders as a query may have, and with more. The gateway's own database
/// has no orders by fields, and a gateway that delivers does not serve others.
extension Route {
    private static let run = "/v1/projects/demo-queries/databases/(default)/documents:runQuery"
    private static let fields = [(name: "Authorization", value: "Bearer <admin>"), json]

    static let queries: [Route] =
        [query(filters: 100), query(orders: 100), query(filters: 60, orders: 40)].map { body in
            Route("queries", "POST", run, fields, [body], expected: [200, 403])
        }
        + [
            query(filters: 101), query(orders: 101), query(filters: 60, orders: 41), query(filters: 1_100),
            query(orders: 1_100), query(filters: 1_100, orders: 1_100), query("OR", filters: 1_100),
        ].map { body in
            Route("queries", "POST", run, fields, [body], expected: [400, 403])
        }

    private static func query(_ operation: String = "AND", filters: Int = 0, orders: Int = 0) -> String {
        let conditions = (0..<filters).map {
            #"{"fieldFilter":{"field":{"fieldPath":"n"},"op":"EQUAL","value":{"integerValue":"\#($0)"}}}"#
        }
        let sorted = (0..<orders).map { #"{"field":{"fieldPath":"f\#($0)"}}"# }
        let parts: [String?] = [
            conditions.isEmpty
                ? nil
                : #""where":{"compositeFilter":{"op":"\#(operation)","filters":[\#(conditions.joined(separator: ","))]}}"#,
            sorted.isEmpty ? nil : #""orderBy":[\#(sorted.joined(separator: ","))]"#,
        ]
        let query = ([#""from":[{"collectionId":"notes"}]"#] + parts.compactMap(\.self)).joined(separator: ",")
        return #"{"structuredQuery":{\#(query)}}"#
    }
}
