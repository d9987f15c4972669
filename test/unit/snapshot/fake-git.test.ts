import { gitRepositoryContract } from '../../support/contracts/git-repository.ts';
import { FakeGit } from '../../support/fake-git.ts';
import { tempDir } from '../../support/temp.ts';

gitRepositoryContract('The git in memory', () => new FakeGit(tempDir()));
