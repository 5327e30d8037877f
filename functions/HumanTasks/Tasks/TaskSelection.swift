import JSON

/// The tasks that a bulk deletion removes.
enum TaskSelection: Sendable {
    case ids([String])
    /// Tasks created at least that many days ago, with any status or with the given one, now or when they expired.
    case olderThan(days: Int64, HumanTask.Status?)

    init(_ object: JSONObject) throws(FieldIssues) {
        var fields = CheckedFields(object)
        let ids = fields.optionalTexts("ids", atMost: TaskLists.longest, 1...100)
        let days = fields.optionalInteger("older_than_days", 1...365)
        let status = fields.optionalChoice("status", of: HumanTask.Status.allCases)
        if ids?.isEmpty == true { fields.report("ids", "must have at least 1 element") }
        if fields.issues.isEmpty, ids == nil, days == nil { fields.report(nil, "must have ids or older_than_days") }
        try fields.check()
        self = ids.map(Self.ids) ?? .olderThan(days: days ?? 0, status)
    }
}
