"""One scripted client per feature; a package, so that its one house closes with its last test."""
