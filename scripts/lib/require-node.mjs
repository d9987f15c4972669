/**
 * Stops a script with one sentence when the Node that runs it is too old for `node:sqlite`.
 * `npm run` normally uses the project's own Node 24; after `npm ci --ignore-scripts` it falls back to the machine's.
 * Import it first: modules are evaluated in the order of their imports.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `This needs Node 22.13 or newer and runs on ${process.versions.node}: run "npm ci" without --ignore-scripts, which installs Node 24 for this project, or put a newer node on the PATH.\n`,
  );
  process.exit(1);
}
