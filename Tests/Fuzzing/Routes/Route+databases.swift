/// The routes of databases of applications, and names that no database can have.
extension Route {
    private static let operatorToken = [(name: "Authorization", value: "Bearer <admin>"), json]
    private static let documents = "/v1/projects/demo-<n>/databases/(default)/documents"

    /// A gateway that delivers does not serve these databases.
    private static let served: Set<Int> = [200, 403]

    static let databases: [Route] =
        [
            Route(
                "databases", "PATCH", documents + "/notes%00<n>/%C3%A9", operatorToken,
                [
                    #"{"fields":{"\u00e9":{"integerValue":"<n>"},"e\u0301":{"stringValue":"<word>\u0000"}}}"#,
                    #"{"fields":{"\u0000":{"mapValue":{"fields":{"K":{"nullValue":null},"\u212a":{"nullValue":null}}}}}}"#,
                ], expected: served),
            Route("databases", "GET", documents + "/notes%00<n>/%C3%A9", operatorToken, expected: [200, 403, 404]),
            Route("databases", "GET", documents + "/notes%00<n>/e%CC%81", operatorToken, expected: [403, 404]),
            Route(
                "databases", "POST", documents + ":runQuery", operatorToken,
                [
                    #"{"structuredQuery":{"from":[{"collectionId":"notes\u0000<n>"}],"where":{"fieldFilter":{"field":{"fieldPath":"`e\u0301`"},"op":"EQUAL","value":{"stringValue":"<word>"}}}}}"#
                ], expected: served),
            Route("databases", "POST", documents + ":listCollectionIds", operatorToken, ["{}"], expected: served),
            Route("databases", "GET", "/v1/projects/demo-<n>/databases", operatorToken),
            Route(
                "databases", "DELETE", "/emulator/v1/projects/demo-<n>/databases/(default)/documents", operatorToken,
                expected: served),
        ] + disguises.flatMap(routes(of:))

    /// Names of the gateway's own database for those who compare or store only a part of a name.
    private static let disguises = [
        "pushgate%00/databases/(default)", "pushgate/databases/(default)%00", "pushgate%0A/databases/(default)",
        "pushgate%1B%5B31m/databases/(default)", "pushgate/databases/%EF%BC%88default)",
        "caf%C3%A9/databases/(default)",
    ]

    private static func routes(of name: String) -> [Route] {
        [
            Route("databases", "GET", "/v1/projects/\(name)/documents/servers", operatorToken, expected: [400]),
            Route(
                "databases", "DELETE", "/emulator/v1/projects/\(name)/documents", operatorToken, expected: [400]),
        ]
    }
}
