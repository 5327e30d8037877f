internal import JSON

/// The tasks that a bulk deletion is about.
enum HitSelection: Sendable {
    case ids([String])
    /// Tasks that were made so many days ago or earlier, of one status or of all.
    case olderThan(days: Int64, Hit.Status?)

    init(_ object: JSONObject) throws(FieldIssues) {
        var fields = CheckedFields(object)
        let ids = fields.optionalTexts("ids", atMost: HumanTasks.longestList, 1...100)
        let days = fields.optionalInteger("older_than_days", 1...365)
        let status = fields.optionalChoice("status", of: Hit.Status.allCases)
        if ids?.isEmpty == true { fields.report("ids", "must have at least 1 element") }
        if fields.issues.isEmpty, ids == nil, days == nil { fields.report(nil, "must have ids or older_than_days") }
        try fields.check()
        self = ids.map(Self.ids) ?? .olderThan(days: days ?? 0, status)
    }
}
