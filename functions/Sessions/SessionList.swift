internal import DocumentStore

/// The sessions that a request asks for, as queries whose results follow each other.
struct SessionList: Sendable {
    private(set) var queries: [Query]
    /// The number of sessions to leave out at the beginning.
    var offset = 0
    let limit: Int

    static let page = 50

    /// Those that have not ended first, then those that have.
    ///
    /// - Parameters:
    ///   - status: that of all; `nil` for any.
    ///   - excludesEnded: whether to leave out those that have ended, whatever status is asked for.
    init(status: String?, excludesEnded: Bool, offset: Int, limit: Int) throws(StoreError) {
        let all = Query.collection(try SessionsDocuments.sessions())
        let ended = CodingSession.Status.ended.rawValue
        queries =
            if let status {
                excludesEnded && status == ended ? [] : [all.having([status])]
            } else {
                [all.having(CodingSession.Status.open)] + (excludesEnded ? [] : [all.having([ended])])
            }
        self.offset = offset
        self.limit = limit
    }

    /// Those of a device.
    init(ofDevice id: String, status: String?, limit: Int) throws(StoreError) {
        let all = try Self.sessions(of: id)
        queries = [status.map { all.having([$0]) } ?? all]
        self.limit = limit
    }

    static func sessions(of device: String) throws(StoreError) -> Query {
        .collection(try SessionsDocuments.sessions())
            .where(FieldPath(CodingSession.Field.deviceID), .equal, .string(device))
    }
}

extension Query {
    /// Those of these sessions that have one of the statuses.
    func having(_ statuses: [String]) -> Query {
        let field = FieldPath(CodingSession.Field.status)
        if statuses.count == 1, let status = statuses.first { return self.where(field, .equal, .string(status)) }
        return self.where(field, .in, .array(statuses.map(Value.string)))
    }
}
