package import HTTPTypes

extension HTTPFields {
    /// Lets a page of a public site reach this machine, in the answer to a preflight request whose fields ask for that
    /// ([Private Network Access](https://wicg.github.io/private-network-access/)).
    package mutating func allowLocalNetwork(_ request: HTTPFields) {
        guard let question = HTTPField.Name("Access-Control-Request-Private-Network"), request.contains(question),
            let answer = HTTPField.Name("Access-Control-Allow-Private-Network")
        else { return }
        self[answer] = "true"
    }
}
