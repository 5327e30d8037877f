import Foundation

/// The metrics of the process itself, under the names that
/// [Prometheus' own clients](https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics) use.
/// They are read when they are asked for; what the system does not tell is left out.
struct ProcessMetrics {
    /// The version of this program.
    let version: String
    /// The maximum number of open descriptors.
    let maximumDescriptors: Int?

    /// The metrics in Prometheus' text format.
    var text: String {
        var usage = rusage()
        let hasUsage = getrusage(Self.thisProcess, &usage) == 0
        let memory = Self.memory
        let samples: [(name: String, type: String, value: Double?)] = [
            ("process_cpu_seconds_total", "counter", hasUsage ? usage.ru_utime.seconds + usage.ru_stime.seconds : nil),
            ("process_max_fds", "gauge", maximumDescriptors.map(Double.init)),
            ("process_open_fds", "gauge", Self.openDescriptors.map(Double.init)),
            ("process_resident_memory_bytes", "gauge", memory?.resident),
            ("process_start_time_seconds", "gauge", Self.startTime),
            ("process_virtual_memory_bytes", "gauge", memory?.virtual),
        ]
        let lines = samples.compactMap { name, type, value in
            value.map { "# TYPE \(name) \(type)\n\(name) \($0)\n" }
        }
        return lines.joined() + "# TYPE pushgate_build_info gauge\npushgate_build_info{version=\"\(version)\"} 1\n"
    }

    #if canImport(Darwin)
        private static let thisProcess = RUSAGE_SELF
    #else
        private static let thisProcess = __rusage_who_t(RUSAGE_SELF.rawValue)
    #endif

    /// The sizes in bytes, from [proc(5)](https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html).
    private static var memory: (virtual: Double, resident: Double)? {
        let pages = read("statm").split(separator: " ").compactMap { Double($0) }
        guard pages.count >= 2 else { return nil }
        let pageSize = Double(sysconf(Int32(_SC_PAGESIZE)))
        return (pages[0] * pageSize, pages[1] * pageSize)
    }

    private static var openDescriptors: Int? {
        // The listing itself has one descriptor open.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 }
    }

    /// The time of the start in seconds since 1970, from
    /// [proc(5)](https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html): ticks since the machine's start.
    private static var startTime: Double? {
        // The program's name in parentheses may have spaces.
        let fields = read("stat").split(separator: ")").last?.split(separator: " ") ?? []
        let boot = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?.split(separator: "\n")
            .first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
        guard fields.count > 19, let ticks = Double(fields[19]), let boot else { return nil }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func read(_ name: String) -> String {
        (try? String(contentsOfFile: "/proc/self/\(name)", encoding: .utf8)) ?? ""
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}
