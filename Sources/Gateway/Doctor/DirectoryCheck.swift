import Instance
import Messaging

/// The data directory and its rights.
struct DirectoryCheck: DoctorCheck {
    let part = "data"

    func findings(in context: DoctorContext) -> [Finding] {
        let path = context.directory.path
        return switch context.directoryState {
        case .absent: [ok("\(path) does not exist yet; the first start creates it")]
        case .closed:
            [
                failed(
                    "this user cannot write to \(path)", because: "The gateway cannot start.",
                    advice: "Give the directory to the user that runs the gateway, or run doctor as that user.")
            ]
        case .open: [rights(of: context.directory)]
        }
    }

    private func rights(of directory: DataDirectory) -> Finding {
        guard let mode = directory.openMode else { return ok("\(directory.path) is accessible to its owner only") }
        return warning(
            "other users can read \(directory.path) (mode \(mode))",
            because: "It has the admin token, keys and device tokens.", advice: "Run chmod 700 \(directory.path).")
    }
}
