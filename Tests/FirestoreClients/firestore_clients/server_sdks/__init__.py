"""The sequences of calls that Google's server SDKs for Node and Java send, without the SDKs themselves."""
