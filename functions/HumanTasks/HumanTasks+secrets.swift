/// The ids of devices are enough to act for them, and those of tasks to answer them.
extension HumanTasks {
    package static var secretCollections: [String] {
        [
            "humanTaskDevices", "humanTaskKeys", "humanTaskPresence", "humanTaskTokens", "humanTaskVendors",
            HumanTasksDocuments.tasks,
        ]
    }
}
