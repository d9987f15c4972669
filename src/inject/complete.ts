import { codeOf } from '../base/index.ts';
import { completionText, isComplete } from './completion-text.ts';
import { completionRequest } from './prompts.ts';
import type { CodeCompletionRequest, ModelClient } from './types.ts';

/**
 * Asks a model for one completion and gives the text to show at the cursor, or null for none.
 * The request is taken back as soon as the closing tag has arrived, and when `signal` aborts.
 * @param request as the injector returned it.
 * @throws ProjectAnchorError as `ModelClient.stream`, except for what a content filter stops: that is no completion.
 */
export async function complete(
  client: ModelClient,
  request: CodeCompletionRequest,
  signal: AbortSignal,
): Promise<string | null> {
  let answer = '';
  try {
    for await (const piece of client.stream(completionRequest(request), signal)) {
      answer += piece;
      if (isComplete(answer)) break;
    }
  } catch (error) {
    if (codeOf(error) === 'model_filtered') return null;
    throw error;
  }
  return signal.aborted ? null : completionText(answer, request);
}
