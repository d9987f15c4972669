/** A file of its own in the package, loaded with the first model request. */
export {};
