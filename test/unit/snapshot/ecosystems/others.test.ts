import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ECOSYSTEMS, ecosystemOf } from '../../../../src/snapshot/ecosystems/index.ts';
import { type ManifestCase, readCase } from './support.ts';

const CASES: readonly ManifestCase[] = [
  {
    what: 'go.mod without what is only needed by others',
    files: {
      'go.mod': `module example.com/app

go 1.24

require github.com/single/one v1.0.0

require (
	github.com/spf13/cobra v1.8.1
	"github.com/quoted/q/v2" v2.3.4 // a remark
	golang.org/x/text v0.16.0 // indirect
)

replace github.com/spf13/cobra => ../cobra
`,
    },
    manager: 'go',
    direct: {
      'github.com/quoted/q/v2': 'v2.3.4',
      'github.com/single/one': 'v1.0.0',
      'github.com/spf13/cobra': 'v1.8.1 => ../cobra',
    },
    named: { 'github.com/spf13/cobra/doc': 'github.com/spf13/cobra', 'github.com/spf13/cobrax': null, fmt: null },
  },
  {
    what: 'Cargo.toml with tables, targets and what the workspace decides',
    files: {
      'crates/a/Cargo.toml': `[package]
name = "a"
[dependencies]
serde = { version = "1.0", features = ["derive"] }
tokio-util = "0.7"
shared.workspace = true
here = { path = "../here" }
[dev-dependencies]
insta = "1"
[target.'cfg(unix)'.dependencies]
nix = "0.29"
`,
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n[workspace.dependencies]\nshared = { version = "2.5" }\n',
      'Cargo.lock': `[[package]]
name = "serde"
version = "1.0.210"
[[package]]
name = "nix"
version = "0.26.4"
[[package]]
name = "nix"
version = "0.29.0"
`,
    },
    manager: 'cargo',
    direct: { here: '../here', insta: '1', nix: '0.29', serde: '1.0', shared: '2.5', 'tokio-util': '0.7' },
    locked: { nix: '0.29.0', serde: '1.0.210' },
    named: { 'tokio_util::codec': 'tokio-util', serde: 'serde', 'std::fmt': null },
  },
  {
    what: 'pom.xml with properties, a parent and managed versions',
    files: {
      'app/pom.xml': `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.acme</groupId><artifactId>parent</artifactId><version>3.1</version></parent>
  <artifactId>app</artifactId>
  <properties><guava.version>33.0-jre</guava.version></properties>
  <build><links><link>https://example.com/api/</link></links><script><![CDATA[ <dependencies> ]]></script></build>
  <dependencies>
    <!-- <dependency><groupId>no</groupId><artifactId>no</artifactId></dependency> -->
    <dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId><version>\${guava.version}</version></dependency>
    <dependency><groupId>\${project.groupId}</groupId><artifactId>own</artifactId><version>\${project.version}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId></dependency>
    <dependency><groupId>x</groupId><artifactId>y</artifactId><version>\${unknown}</version></dependency>
    <dependency><groupId>org.apache.commons</groupId><artifactId>commons-lang3</artifactId><version>3.14.0</version></dependency>
    <dependency><groupId>org.apache.commons</groupId><artifactId>commons-text</artifactId><version>1.11.0</version></dependency>
    <dependency><groupId>com.fasterxml.jackson.core</groupId><artifactId>jackson-databind</artifactId><version>[2,3)</version></dependency>
  </dependencies>
</project>`,
      'pom.xml': `<project><groupId>org.acme</groupId><artifactId>parent</artifactId><version>3.1</version>
  <properties><slf4j>2.0.13</slf4j></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>\${slf4j}</version></dependency>
  </dependencies></dependencyManagement>
</project>`,
    },
    manager: 'maven',
    direct: {
      'com.fasterxml.jackson.core:jackson-databind': '[2,3)',
      'com.google.guava:guava': '33.0-jre',
      'org.acme:own': '3.1',
      'org.apache.commons:commons-lang3': '3.14.0',
      'org.apache.commons:commons-text': '1.11.0',
      'org.slf4j:slf4j-api': '2.0.13',
      'x:y': `\${unknown}`,
    },
    named: {
      'com.google.common.collect': 'com.google.guava:guava',
      'org.slf4j': 'org.slf4j:slf4j-api',
      'org.apache.commons.lang3': 'org.apache.commons:commons-lang3',
      'org.apache.commons.text.similarity': 'org.apache.commons:commons-text',
      'com.fasterxml.jackson.databind': 'com.fasterxml.jackson.core:jackson-databind',
      'java.util': null,
    },
  },
  {
    what: 'build.gradle in its notations, without what is commented out',
    files: {
      'app/build.gradle': `plugins { id 'java' }
def okhttpVersion = '4.12.0'
ext.retro = "2.9.0"
dependencies {
    implementation 'com.google.guava:guava:33.0-jre'
    api "com.squareup.okhttp3:okhttp:$okhttpVersion"
    implementation "com.squareup.retrofit2:retrofit:\${retro}"
    testImplementation group: 'junit', name: 'junit', version: '4.13.2'
    implementation platform('org.acme:bom:1.0')
    runtimeOnly 'org.acme:unversioned'
    // implementation 'no:no:1'
    /* implementation 'no:never:1' */
    implementation "org.fromproperties:p:\${pVersion}"
    implementation project(':other')
}
url = 'https://example.com:8080'
`,
      'gradle.properties': 'pVersion=7.7\n',
      'app/gradle.lockfile': '# locked\ncom.google.guava:guava:33.0.1-jre=compileClasspath\nempty=\n',
    },
    manager: 'gradle',
    direct: {
      'com.google.guava:guava': '33.0-jre',
      'com.squareup.okhttp3:okhttp': '4.12.0',
      'com.squareup.retrofit2:retrofit': '2.9.0',
      'junit:junit': '4.13.2',
      'org.acme:bom': '1.0',
      'org.acme:unversioned': '',
      'org.fromproperties:p': '7.7',
    },
    locked: { 'com.google.guava:guava': '33.0.1-jre' },
    named: { 'okhttp3.internal': 'com.squareup.okhttp3:okhttp', 'org.junit': 'junit:junit', 'org.other.x': null },
  },
  {
    what: 'build.gradle.kts with a version catalogue',
    files: {
      'app/build.gradle.kts': `dependencies {
    implementation(libs.okhttp.core)
    implementation(platform(libs.spring.bom))
    testImplementation(libs.bundles.testing)
    implementation(kotlin("reflect", "2.0.0"))
    implementation("io.ktor:ktor-client:2.3.0") { because("http://x") }
    alias(libs.plugins.kotlin)
}
val x = libs.versions.jdk.get()
`,
      'gradle/libs.versions.toml': `[versions]
okhttp = "4.12.0"
strict = { strictly = "1.9" }
[libraries]
okhttp-core = { module = "com.squareup.okhttp3:okhttp", version.ref = "okhttp" }
spring_bom = "org.springframework:spring-bom:6.1.0"
junit = { group = "org.junit.jupiter", name = "junit-jupiter", version.ref = "strict" }
unused = "a:b:1"
[bundles]
testing = ["junit"]
`,
    },
    manager: 'gradle',
    direct: {
      'com.squareup.okhttp3:okhttp': '4.12.0',
      'io.ktor:ktor-client': '2.3.0',
      'org.jetbrains.kotlin:kotlin-reflect': '2.0.0',
      'org.junit.jupiter:junit-jupiter': '1.9',
      'org.springframework:spring-bom': '6.1.0',
    },
  },
  {
    what: 'composer.json',
    files: {
      'composer.json':
        '{"require": {"php": ">=8.2", "symfony/console": "^7.0", "monolog/monolog": "^3"}, "require-dev": {"phpunit/phpunit": "^11"}}',
      'composer.lock':
        '{"packages": [{"name": "symfony/console", "version": "v7.1.3"}], "packages-dev": [{"name": "phpunit/phpunit", "version": "11.2.0"}]}',
    },
    manager: 'composer',
    direct: { 'monolog/monolog': '^3', php: '>=8.2', 'phpunit/phpunit': '^11', 'symfony/console': '^7.0' },
    locked: { 'phpunit/phpunit': '11.2.0', 'symfony/console': 'v7.1.3' },
    named: { 'Symfony\\Component\\Console': 'symfony/console', Monolog: 'monolog/monolog', 'Acme\\X': null },
  },
  {
    what: 'a Gemfile',
    files: {
      Gemfile: `source 'https://rubygems.org'
gem 'rails', '~> 7.1', '>= 7.1.3'
gem "net-ssh", require: false
group :test do
  gem 'rspec', group: :test, git: 'https://example.com/x'
end
# gem 'no'
`,
      'Gemfile.lock': 'GEM\n  specs:\n    net-ssh (7.2.3)\n    rails (7.1.3.4)\n      activesupport (= 7.1.3.4)\n',
    },
    manager: 'bundler',
    direct: { 'net-ssh': '', rails: '~> 7.1, >= 7.1.3', rspec: '' },
    locked: { 'net-ssh': '7.2.3', rails: '7.1.3.4' },
    named: { 'net/ssh': 'net-ssh', 'rails/all': 'rails', json: null },
  },
  {
    what: 'a project of .NET, with versions that stand elsewhere',
    files: {
      'src/App/App.csproj': `<Project Sdk="Microsoft.NET.Sdk">
  <ItemGroup>
    <PackageReference Include="Newtonsoft.Json" Version="13.0.3" />
    <PackageReference Include="Serilog"><Version>4.0.0</Version></PackageReference>
    <PackageReference Include="Central.One" />
  </ItemGroup>
</Project>`,
      'Directory.Packages.props':
        '<Project><ItemGroup><PackageVersion Include="Central.One" Version="1.2.3" /></ItemGroup></Project>',
      'src/App/packages.lock.json':
        '{"version": 1, "dependencies": {"net8.0": {"Serilog": {"type": "Direct", "resolved": "4.0.1"}}}}',
    },
    manager: 'nuget',
    direct: { 'Central.One': '1.2.3', 'Newtonsoft.Json': '13.0.3', Serilog: '4.0.0' },
    locked: { Serilog: '4.0.1' },
    named: { 'Newtonsoft.Json.Linq': 'Newtonsoft.Json', System: null },
  },
];

describe('manifests of other languages', () => {
  test.for(CASES)('$what', async (each) => {
    const { what: _, files: __, ...wanted } = each;
    expect(await readCase(each)).toEqual(wanted);
  });

  test.each([
    ['Cargo.toml', '[dependencies'],
    ['pom.xml', '<project><dependencies>'],
    ['pom.xml', '<project><a></b></project>'],
    ['pom.xml', ''],
    ['pom.xml', '<project><script></project>'],
    ['pom.xml', `<project>${'<a>'.repeat(5_000)}${'</a>'.repeat(5_000)}</project>`],
    ['pom.xml', '<html></html>'],
    ['x.csproj', '{}'],
    ['composer.json', '['],
    ['go.mod', 'what is this'],
  ])('%s: %j is malformed', async (name, text) => {
    expect(await readCase({ what: '', files: { [name]: text }, manager: '', direct: {} })).toBeNull();
  });

  test('which files are manifests', () => {
    const yes = ['requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt', 'requirements.in', 'a.gemspec'];
    expect(yes.filter((name) => ecosystemOf(name) === undefined)).toEqual([]);
    const no = ['requirements.md', 'my-package.json', 'go.sum', 'gradle.build', 'settings.gradle', 'toString'];
    expect(no.filter((name) => ecosystemOf(name) !== undefined)).toEqual([]);
  });

  test('parents and includes that lead in a circle end', async () => {
    const parent = (artifact: string, path: string) =>
      `<project><artifactId>${artifact}</artifactId><parent><artifactId>p</artifactId><relativePath>${path}</relativePath></parent>
      <properties><a>\${b}</a><b>\${a}</b></properties>
      <dependencies><dependency><groupId>g</groupId><artifactId>x</artifactId><version>\${a}</version></dependency></dependencies></project>`;
    const files = { 'a/pom.xml': parent('p', '../a'), 'b/pom.xml': parent('p', '../a/pom.xml') };
    const found = await readCase({ what: '', files, manager: '', direct: {} });
    expect(Object.keys(found?.direct ?? {})).toEqual(['g:x']);
  });

  test.each([
    ['build.gradle', '/*\n'],
    ['build.gradle', 'a\t \n'],
    ['requirements.txt', ' \\\n'],
    ['requirements.txt', 'a#'],
  ])('%s of %j again and again is read in no time', async (name, text) => {
    const files = { [name]: `x${text.repeat(20_000)}` };
    expect((await readCase({ what: '', files, manager: '', direct: {} }))?.direct).toBeDefined();
  });

  test('any text is read or refused, quickly', async () => {
    const names = ['package.json', 'pyproject.toml', 'requirements.txt', 'Pipfile', 'go.mod', 'Cargo.toml', 'pom.xml'];
    const name = fc.constantFrom(...names, 'build.gradle', 'composer.json', 'Gemfile', 'x.csproj');
    const lock = fc.constantFrom(...ECOSYSTEMS.flatMap(({ locks }) => locks));
    const piece = fc.oneof(
      fc.constantFrom(
        '\n',
        '  ',
        '"',
        "'",
        ':',
        '=',
        '[',
        ']',
        '{',
        '}',
        '<project>',
        '</project>',
        `\${a}`,
        'a',
        '1.0',
        ',',
      ),
      fc.constantFrom('implementation ', 'gem ', 'require ', '[[package]]', 'importers:', '@', '-r ', '(', '\\'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(name, lock, text, async (manifest, lockName, content) => {
        await readCase({ what: '', files: { [manifest]: content }, manager: '', direct: {} });
        for (const { locks, readLock } of ECOSYSTEMS) {
          if (locks.includes(lockName)) (await readLock(lockName, content))?.('a', 'b', '1');
        }
      }),
      { numRuns: 200 },
    );
  });
});
