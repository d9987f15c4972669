/** The licences of the packages that end up in a bundle: each asks that its text goes along. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param {string} root project folder
 * @param {Iterable<string>} inputs files that went into the bundles, relative to `root`
 * @param {readonly { name: string, text: string }[]} others that are in a package without their licence
 * @returns {Promise<string>} one text: name, version, licence and licence text of every package, in order of names
 */
export async function licensesOf(root, inputs, others = []) {
  /** @type {Set<string>} */
  const folders = new Set();
  for (const input of inputs) {
    const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (folder !== undefined) folders.add(folder);
  }
  const sections = await Promise.all(
    [...folders].map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
      const texts = (await readdir(join(root, folder)))
        .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
        .sort();
      const bodies = await Promise.all(texts.map((file) => readFile(join(root, folder, file), 'utf8')));
      return { name: `${name} ${version}`, text: `${name} ${version} (${license})\n\n${bodies.join('\n').trim()}\n` };
    }),
  );
  sections.push(...others);
  sections.sort((a, b) => (a.name < b.name ? -1 : 1));
  const rule = `\n${'-'.repeat(79)}\n\n`;
  return `ProjectAnchor contains the following packages.\n${rule}${sections.map(({ text }) => text).join(rule)}`;
}
