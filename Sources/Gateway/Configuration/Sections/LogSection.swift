package import Logging
package import Settings

/// The settings of the log.
package struct LogSection: ConfigurationSection {
    static let name = "log"

    /// The lowest level that is logged.
    package var level = Logger.Level.info
    /// The format of log lines.
    package var format = LogFormat.human

    /// The settings, each declared once.
    package static let settings: [Setting<LogSection>] = [
        Setting(
            "log.level", \.level,
            .choice("`trace`, `debug`, `info`, `notice`, `warning`, `error`, `critical`"),
            "The log level: trace, debug, info, notice, warning, error or critical"),
        Setting("log.format", \.format, .choice(), "The log format: human or json"),
    ]

    package init() {}
}

/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable {
    /// A plain line for each message, for a terminal or a journal.
    case human
    /// A JSON object on a line for each message.
    case json
}
