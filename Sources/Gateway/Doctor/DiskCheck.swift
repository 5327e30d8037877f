import Foundation
import Instance
import Messaging

/// The disk of the data directory: its free space, and the time that it takes to keep a write.
struct DiskCheck: DoctorCheck {
    let part = "disk"

    private static let slowFlush = Duration.milliseconds(20)

    func findings(in context: DoctorContext) -> [Finding] {
        guard context.directoryState == .open else { return [] }
        return [space(context), flushes(context)]
    }

    private func space(_ context: DoctorContext) -> Finding {
        let minimum = context.configuration.data.minimumFreeBytes.map { Int64($0) }
        guard let space = DiskProbe(of: context.directory).space(minimumFree: minimum) else {
            return warning(
                "the free space cannot be read", because: "The gateway cannot refuse new data in time.",
                advice: "Use a file system that reports its free space.")
        }
        let (free, bound) = (space.free / 1_048_576, space.minimum / 1_048_576)
        let fact = "\(free) MiB are free on the disk of the data, and new data is refused below \(bound) MiB"
        // A margin of a quarter warns before requests fail.
        if free > bound + bound / 4 { return ok(fact) }
        let advice = "Free space, or lower data.minimumFreeBytes."
        let reason = "Messages are refused while less is free; accepted ones are still delivered."
        return free >= bound
            ? warning(fact, because: reason, advice: advice) : failed(fact, because: reason, advice: advice)
    }

    private func flushes(_ context: DoctorContext) -> Finding {
        guard let duration = try? DiskProbe(of: context.directory).medianFlush() else {
            return failed(
                "a file cannot be written to \(context.directory.path) and flushed",
                because: "Nothing can be accepted.", advice: "Look for errors of the disk, or for a full one.")
        }
        let fact =
            "the disk flushes a write in \(duration.formatted(.units(allowed: [.milliseconds], fractionalPart: .show(length: 1))))"
        guard duration > Self.slowFlush else { return ok(fact) }
        return warning(
            fact, because: "A message is accepted after one flush; all that wait share it.",
            advice: "Use a local SSD for the data directory; network file systems are slow, and not safe for SQLite.")
    }
}
