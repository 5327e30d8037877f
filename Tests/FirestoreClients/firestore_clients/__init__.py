"""Google's Firestore clients, and calls of our own, against a running gateway."""
