import { execFileSync } from 'node:child_process';
import { cleanGitEnv, type GitSandbox } from './git-repo.ts';

/** Who committed when; by default the tester, now. */
export interface Made {
  readonly at?: number;
  readonly by?: string;
}

/** Stages everything and commits it as somebody at some time (ms); returns the commit id. */
export function commitAs(repo: GitSandbox, message: string, { at, by = 'test' }: Made = {}): string {
  const email = `${by}@example.invalid`;
  const date = at === undefined ? {} : { GIT_AUTHOR_DATE: stamp(at), GIT_COMMITTER_DATE: stamp(at) };
  const who = { GIT_AUTHOR_NAME: by, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: by, GIT_COMMITTER_EMAIL: email };
  repo.git('add', '--all');
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '-F', '-'], {
    cwd: repo.root,
    env: { ...cleanGitEnv(), ...who, ...date },
    input: message,
  });
  return repo.head();
}

function stamp(ms: number): string {
  return `@${Math.floor(ms / 1000)} +0000`;
}
