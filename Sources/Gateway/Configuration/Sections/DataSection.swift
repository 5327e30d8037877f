import Foundation
package import Settings

/// The settings of the data directory.
package struct DataSection: ConfigurationSection {
    static let name = "data"

    /// The path of the directory, absolute or relative to the working directory.
    package var directory = "./pushgate-data"
    /// The free bytes on the directory's disk below which the gateway accepts no new data. 0 accepts always; `nil`
    /// means the larger of 256 MiB and 2 % of the disk.
    package var minimumFreeBytes: Int?

    /// The absolute path of ``directory``.
    package var absoluteDirectory: String { URL(fileURLWithPath: directory).standardizedFileURL.path }

    /// The settings, each declared once.
    package static let settings: [Setting<DataSection>] = [
        Setting("data.directory", \.directory, .text("path"), "The data directory"),
        Setting(
            "data.minimumFreeBytes", optional: \.minimumFreeBytes, .integer(0...Int.max),
            absent: "the larger of 268435456 and 2 % of the disk",
            "The free space of the data directory's disk below which no new data are accepted"),
    ]

    package init() {}
}
