import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The environment that keeps a test's git away from the person's own configuration. */
export function cleanGitEnv(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [key, value] of Object.entries(process.env)) if (!key.startsWith('GIT_')) env[key] = value;
  return {
    ...env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.invalid',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.invalid',
    GIT_TERMINAL_PROMPT: '0',
  };
}

/** A real git repository in a given folder, driven by the real git. */
export class GitSandbox {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** `git init` with branch `main`. */
  static init(root: string, branch = 'main'): GitSandbox {
    mkdirSync(root, { recursive: true });
    const repo = new GitSandbox(root);
    repo.git('init', '--quiet', `--initial-branch=${branch}`);
    return repo;
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.root,
      env: cleanGitEnv(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  write(path: string, content: string | Buffer): this {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return this;
  }

  remove(path: string): this {
    rmSync(join(this.root, path), { recursive: true, force: true });
    return this;
  }

  /** Stages everything and commits; returns the commit id. */
  commit(message: string): string {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '-m', message);
    return this.head();
  }

  /** Stages everything and amends the last commit; returns its new id. */
  amend(message: string): string {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--amend', '--allow-empty', '-m', message);
    return this.head();
  }

  head(): string {
    return this.git('rev-parse', 'HEAD').trim();
  }
}
