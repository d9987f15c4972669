/** The log worker, with a way for a test to end it: the channel named by PA_TEST_CHANNEL carries what to do. */

import { BroadcastChannel, parentPort } from 'node:worker_threads';
import '../../../src/delta/worker.ts';

const channel = new BroadcastChannel(process.env['PA_TEST_CHANNEL'] ?? 'nobody');
channel.unref();
channel.onmessage = ((event: { data: string }) => {
  switch (event.data) {
    case 'exit':
      process.exit(7);
      break;
    case 'throw':
      throw new Error('a bug');
    case 'exit-before-answer':
      if (parentPort !== null) {
        const { postMessage } = parentPort;
        parentPort.postMessage = function (this: typeof parentPort, message: { t?: string }) {
          // What was asked is done, only nobody hears of it any more.
          if (message.t === 's') process.exit(7);
          postMessage.call(this, message);
        } as typeof postMessage;
      }
      channel.postMessage('armed');
      break;
  }
}) as typeof channel.onmessage;
