/// Why a verb failed, in words for whoever typed it. Exit code 1.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
