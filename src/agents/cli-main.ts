import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { version } from '../../package.json';
import { dataFolder, useCompileCache } from '../store/index.ts';

// The launcher sets it to run on VS Code's own runtime; programs started from here must not inherit it.
delete process.env['ELECTRON_RUN_AS_NODE'];

useCompileCache({
  env: process.env,
  folder: () => dataFolder(process.env, process.platform, homedir()),
  uid: process.getuid?.(),
  version,
  enable: enableCompileCache,
});

void import('./core.ts')
  .then(({ runCommandLine }) => runCommandLine(process.argv.slice(2)))
  .then((code) => {
    process.exitCode = code;
  });
