import type { AboutModel, FactList, FactRow } from './about-model.ts';
import { html, type Markup } from './markup.ts';

/** The section about the active file. */
export function aboutSection({ facts, warnings, tags, lists }: AboutModel): Markup {
  return html`<section aria-labelledby="about">
<h2 id="about">About this file</h2>
<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
${warnings.map((warning) => html`<p class="doubt">${warning}</p>`)}
${tags.length === 0 ? null : html`<p>${tags.map((tag) => html`<span class="tag">${tag}</span> `)}<span class="quiet">set automatically</span></p>`}
${lists.map(factList)}
</section>`;
}

/** A list that is folded as a whole has its title on the fold. */
function factList({ key, title, rows, folded, notes }: FactList): Markup {
  const heading = html`<h3>${title}</h3>`;
  const isWhole = rows.length === 0 && folded !== null;
  const label = isWhole ? html`${heading} <span class="quiet">${folded.label}</span>` : folded?.label;
  const rest =
    folded === null || label === undefined
      ? null
      : html`<details data-key="about:${key}"><summary>${label}</summary>${rowList(folded.rows)}</details>`;
  return html`${isWhole ? null : heading}
${rows.length === 0 ? null : rowList(rows)}
${rest}
${notes.map((note) => html`<p class="quiet">${note}</p>`)}`;
}

function rowList(rows: readonly FactRow[]): Markup {
  return html`<ul class="items">${rows.map(row)}</ul>`;
}

function row({ ref, prose, aside, why, text }: FactRow): Markup {
  return html`<li>
<span class="${prose === true ? 'subject' : 'ref'}">${ref}</span>${aside === undefined ? null : html` <span class="aside">${aside}</span>`}
${why === undefined || why === '' ? null : html`<span class="why">${why}</span>`}
${text === undefined ? null : html`<details data-key="about:text:${text.key}"><summary>${text.label}</summary><p class="body">${text.body}</p></details>`}
</li>`;
}
