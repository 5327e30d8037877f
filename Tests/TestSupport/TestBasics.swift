// Processes and temporary directories come with what runs gateways in them, without an import of their own.
@_exported public import TestBasics
