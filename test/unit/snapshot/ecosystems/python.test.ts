import { describe, expect, test } from 'vitest';
import { type ManifestCase, readCase } from './support.ts';

const CASES: readonly ManifestCase[] = [
  {
    what: 'pyproject.toml as PEP 621 has it, with extras, groups and markers',
    files: {
      'pyproject.toml': `[project]
name = "app"
dependencies = [
  "requests[socks]>=2.31,<3",
  "PyYAML ~= 6.0 ; python_version < '3.14'",
  "plain",
  "at @ git+https://example.com/at.git@v1",
]
[project.optional-dependencies]
docs = ["sphinx==7.2.6"]
[dependency-groups]
test = ["pytest>8", { include-group = "docs" }]
[tool.uv]
dev-dependencies = ["ruff (>=0.4)"]
`,
      'uv.lock': `version = 1
[[package]]
name = "requests"
version = "2.32.3"
[[package]]
name = "pyyaml"
version = "6.0.2"
`,
    },
    manager: 'uv',
    direct: {
      PyYAML: '~= 6.0',
      at: 'git+https://example.com/at.git@v1',
      plain: '',
      pytest: '>8',
      requests: '>=2.31,<3',
      ruff: '>=0.4',
      sphinx: '==7.2.6',
    },
    locked: { PyYAML: '6.0.2', requests: '2.32.3' },
    named: { 'requests.adapters': 'requests', yaml: 'PyYAML', '.requests': null, os: null, __proto__: null },
  },
  {
    what: 'pyproject.toml of poetry, with groups',
    files: {
      'pyproject.toml': `[tool.poetry]
name = "app"
[tool.poetry.dependencies]
python = "^3.11"
Pillow = { version = "^10", extras = ["x"] }
google-cloud-storage = "^2"
multi = [{ version = "^1", python = "<3" }, { version = "^2" }]
local = { path = "../local" }
[tool.poetry.group.dev.dependencies]
pytest = "^8"
[tool.poetry.dev-dependencies]
black = "*"
`,
      'poetry.lock':
        '[[package]]\nname = "pillow"\nversion = "10.4.0"\n\n[[package]]\nname = "pytest"\nversion = "8.2.0"\n',
    },
    manager: 'poetry',
    direct: {
      Pillow: '^10',
      black: '*',
      'google-cloud-storage': '^2',
      local: '../local',
      multi: '^1',
      pytest: '^8',
      python: '^3.11',
    },
    locked: { Pillow: '10.4.0', pytest: '8.2.0' },
    named: {
      PIL: 'Pillow',
      'PIL.Image': 'Pillow',
      'google.cloud.storage': 'google-cloud-storage',
      'google.auth': null,
    },
  },
  {
    what: 'requirements with what they include, hashes, markers, editable ones and addresses',
    files: {
      'reqs/requirements-dev.txt': `# for developers
-r base.txt
--requirement=../requirements.txt
-c constraints.txt
-i https://example.com/simple
pytest==8.1.1 \\
    --hash=sha256:abc \\
    --hash=sha256:def
black[d]>=24 ; python_version >= "3.9"  # style
scikit_learn
-e git+https://example.com/x.git#egg=x-tool
./local/path
https://example.com/y.whl
`,
      'reqs/base.txt': '-r requirements-dev.txt\nflask>=3\n',
      'requirements.txt': 'opencv-python-headless==4.9.0\npython-dotenv\nbeautifulsoup4<5\n',
      'reqs/constraints.txt': 'never==1\n',
    },
    manager: 'pip',
    direct: {
      beautifulsoup4: '<5',
      black: '>=24',
      flask: '>=3',
      'opencv-python-headless': '==4.9.0',
      pytest: '==8.1.1',
      'python-dotenv': '',
      scikit_learn: '',
      'x-tool': 'git+https://example.com/x.git',
    },
    named: {
      cv2: 'opencv-python-headless',
      dotenv: 'python-dotenv',
      bs4: 'beautifulsoup4',
      'sklearn.svm': 'scikit_learn',
      flask: 'flask',
    },
  },
  {
    what: 'a Pipfile',
    files: {
      Pipfile: '[packages]\nrequests = "*"\ndj = { version = "==5.0" }\n[dev-packages]\nmypy = ">=1"\n',
      'Pipfile.lock': '{"default": {"requests": {"version": "==2.31.0"}}, "develop": {"mypy": {"version": "==1.9.0"}}}',
    },
    manager: 'pipenv',
    direct: { dj: '==5.0', mypy: '>=1', requests: '*' },
    locked: { mypy: '1.9.0', requests: '2.31.0' },
  },
  {
    what: 'pyproject.toml of pdm',
    files: {
      'pyproject.toml': '[project]\ndependencies = ["attrs"]\n[tool.pdm.dev-dependencies]\nlint = ["ruff>=1"]\n',
      'pdm.lock': '[[package]]\nname = "attrs"\nversion = "23.2.0"\n',
    },
    manager: 'pdm',
    direct: { attrs: '', ruff: '>=1' },
    locked: { attrs: '23.2.0' },
    named: { attr: 'attrs' },
  },
  {
    what: 'uv.lock of a folder above, for a package of its workspace',
    files: {
      'libs/a/pyproject.toml': '[project]\ndependencies = ["attrs"]\n',
      'uv.lock': `[[package]]
name = "root"
source = { virtual = "." }
[[package]]
name = "a"
version = "0.1.0"
source = { editable = "libs/a" }
[[package]]
name = "attrs"
version = "23.2.0"
source = { registry = "https://example.com" }
`,
    },
    manager: 'pip',
    direct: { attrs: '' },
    locked: { attrs: '23.2.0' },
  },
  {
    what: 'uv.lock of a folder above that does not know the package',
    files: {
      'examples/a/pyproject.toml': '[project]\ndependencies = ["attrs"]\n',
      'uv.lock':
        '[[package]]\nname = "attrs"\nversion = "23.2.0"\n[[package]]\nname = "r"\nsource = { editable = "." }\n',
    },
    manager: 'pip',
    direct: { attrs: '' },
    locked: {},
  },
];

describe('manifests of Python', () => {
  test.for(CASES)('$what', async (each) => {
    const { what: _, files: __, ...wanted } = each;
    expect(await readCase(each)).toEqual(wanted);
  });

  test('a malformed pyproject.toml is none', async () => {
    expect(await readCase({ what: '', files: { 'pyproject.toml': '[project' }, manager: '', direct: {} })).toBeNull();
  });
});
