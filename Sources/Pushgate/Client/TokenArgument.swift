import ArgumentParser

/// A registration token as options take it: as such, or “-” for a line of standard input, since every user of a machine can
/// read arguments.
enum TokenArgument {
    static func token(_ argument: String) throws -> String {
        let token = argument == "-" ? readLine() ?? "" : argument
        guard !token.isEmpty else {
            throw ValidationError(
                argument == "-"
                    ? "--token - reads a token from standard input, and there is none" : "--token must not be empty")
        }
        return token
    }
}
