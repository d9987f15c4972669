import { runCommandLine } from './core.ts';

// The launcher sets it to run on VS Code's own runtime; programs started from here must not inherit it.
delete process.env['ELECTRON_RUN_AS_NODE'];

void runCommandLine(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
