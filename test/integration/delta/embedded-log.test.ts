import { onTestFinished } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { EmbeddedLog } from '../../../src/delta/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { deltaLogContract } from '../../support/contracts/delta-log.ts';
import { tempDir } from '../../support/temp.ts';

deltaLogContract('embedded, in a file', async ({ deny }) => {
  const store = await openStore({ folder: tempDir(), logger: silentLogger() });
  const log = new EmbeddedLog({ store, clock: systemClock(), logger: silentLogger(), deny });
  onTestFinished(async () => {
    await log.close();
    store.close();
  });
  return { log };
});
