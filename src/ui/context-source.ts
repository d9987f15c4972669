import type { ProjectSession } from '../agents/index.ts';
import { messageOf } from '../base/index.ts';
import type { CodeCompletionRequest, Receipt } from '../inject/index.ts';
import type { AboutInput } from './about-source.ts';
import { type ActiveFile, type ContextInput, type ContextModel, contextModel } from './context-model.ts';
import type { Located } from './projects.ts';
import { OUTSIDE, type StatusInput } from './status-text.ts';

/** Requests listed in the view. */
const RECEIPTS_SHOWN = 10;

export interface ContextPorts {
  status(): StatusInput;
  problems(): readonly string[];
  model(): Promise<{ readonly host: string; readonly hasKey: boolean }>;
  /** The session that the view is about. */
  session(): ProjectSession | null;
  /** The cursor of the active file. */
  cursor(): Omit<CodeCompletionRequest, 'type' | 'context'> | null;
  locate(file: string): Located | null;
  completionTokens(): number;
  /** What is known of a file, without waiting; asks for the rest. */
  about(file: Located, line: number): AboutInput | null;
}

/** Gathers what the context view shows, as it is now. */
export async function contextNow(ports: ContextPorts): Promise<ContextModel> {
  const session = ports.session();
  const [model, receipts] = await Promise.all([ports.model(), receiptsOf(session)]);
  const input: ContextInput = {
    status: ports.status(),
    problems: ports.problems(),
    degraded: session === null ? [] : degradedCodes(session, ports),
    model,
    active: session === null ? null : activeFile(ports),
    about: session === null ? null : aboutActive(ports),
    marks: session?.marks() ?? [],
    receipts,
  };
  return contextModel(input);
}

function receiptsOf(session: ProjectSession | null): Promise<readonly Receipt[]> {
  return session === null ? Promise.resolve([]) : session.receipts(RECEIPTS_SHOWN);
}

function degradedCodes(session: ProjectSession, ports: ContextPorts): readonly string[] {
  const file = ports.cursor()?.file;
  const path = file === undefined ? undefined : ports.locate(file)?.path;
  const facts = path === undefined ? null : session.facts(path);
  return [...new Set([...(session.latest?.snapshot.degraded ?? []), ...(facts?.degraded ?? [])])];
}

function aboutActive(ports: ContextPorts): AboutInput | null {
  const cursor = ports.cursor();
  const located = cursor === null ? null : ports.locate(cursor.file);
  return cursor === null || located === null ? null : ports.about(located, cursor.line);
}

function activeFile(ports: ContextPorts): ActiveFile | null {
  const cursor = ports.cursor();
  if (cursor === null) return null;
  const located = ports.locate(cursor.file);
  if (located === null) {
    return { path: cursor.file, refused: OUTSIDE };
  }
  const request: CodeCompletionRequest = { type: 'completion', ...cursor };
  try {
    const injected = located.project.session.preview(request);
    return { path: located.path, injected, ceiling: ports.completionTokens() };
  } catch (error) {
    // The gate's reason is the very thing to show.
    return { path: located.path, refused: messageOf(error) };
  }
}
