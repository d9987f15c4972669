import { silentLogger } from '../../../src/base/index.ts';
import { MemoryDeltaLog } from '../../../src/delta/memory-log.ts';
import { deltaLogContract } from '../../support/contracts/delta-log.ts';

deltaLogContract('in memory', async ({ deny }) => ({ log: new MemoryDeltaLog(silentLogger(), deny) }));
