import { type Disposable, DisposableStore, disposable } from '../base/index.ts';

type Listen<T> = (listener: (value: T) => void) => Disposable;

/** The part of the git extension's interface (version 1) that is used. */
export interface GitRepository {
  readonly rootUri: { readonly fsPath: string };
  readonly state: { readonly onDidChange: Listen<void> };
}

export interface GitApi {
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: Listen<GitRepository>;
  readonly onDidCloseRepository: Listen<GitRepository>;
}

/** Calls back with the root of a repository whenever its state changes, and once for each that is open or opens. */
export function followGit(api: GitApi, changed: (root: string) => void): Disposable {
  const owned = new DisposableStore();
  const followed = new Map<GitRepository, Disposable>();
  const follow = (repository: GitRepository) => {
    if (followed.has(repository)) return;
    const root = repository.rootUri.fsPath;
    followed.set(
      repository,
      repository.state.onDidChange(() => changed(root)),
    );
    // What happened before the extension opened the repository is in its first state, and no change of it.
    changed(root);
  };
  owned.add(api.onDidOpenRepository(follow));
  owned.add(
    api.onDidCloseRepository((repository) => {
      followed.get(repository)?.dispose();
      followed.delete(repository);
    }),
  );
  owned.add(
    disposable(() => {
      for (const following of followed.values()) following.dispose();
    }),
  );
  for (const repository of api.repositories) follow(repository);
  return owned;
}
