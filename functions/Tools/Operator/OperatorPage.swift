/// A page of a module for the operator, in the gateway's console. It shows something, and changes nothing.
package struct OperatorPage: Sendable {
    /// The last segment of its path, `/console/NAME`, which no other page has.
    package let name: String
    /// Its heading, and its entry in the console's menu.
    package let title: String
    /// Returns its content, below the heading. An error of the store becomes a page for the operator.
    package let content: @Sendable () async throws -> HTML

    /// - Parameters:
    ///   - name: The last segment of its path: lower-case letters, digits and hyphens.
    ///   - content: Returns the content. Users with the token that reads only see it too, so it must not have an id
    ///     with which something can be changed.
    package init(name: String, title: String, content: @escaping @Sendable () async throws -> HTML) {
        self.name = name
        self.title = title
        self.content = content
    }
}
