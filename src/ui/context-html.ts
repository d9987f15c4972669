import { aboutSection } from './about-html.ts';
import type { ContextItem, ContextModel, MarkLine, NextContext, Notice, SentRequest } from './context-model.ts';
import { html, type Markup } from './markup.ts';

/** Addresses of the page's own files, as the webview may load them. */
export interface PageResources {
  readonly script: string;
  readonly style: string;
  /** The webview's source for the content security policy. */
  readonly cspSource: string;
  /** Random, new for every page. */
  readonly nonce: string;
}

/** The empty page: everything in it comes later, through one message. Allows no inline script or style and no network. */
export function contextPage({ script, style, cspSource, nonce }: PageResources): string {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-${nonce}'; style-src ${cspSource}; font-src ${cspSource}; img-src ${cspSource}">
<link rel="stylesheet" href="${style}">
<title>ProjectAnchor context</title>
</head>
<body>
<main id="context" aria-label="ProjectAnchor context"><p class="quiet">Reading the project…</p></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`.text;
}

/** The content of the view. Buttons carry their command in `data-command`; what a person opened is kept by `data-key`. */
export function contextContent(model: ContextModel): string {
  return html`${model.project === null ? null : header(model.project, model.facts)}
${model.notices.map(notice)}
${model.next === null ? null : next(model.next)}
${model.about === null ? null : aboutSection(model.about)}
${model.project === null ? null : marks(model.marks, model.moreMarks)}
${model.project === null ? null : sent(model.sent)}`.text;
}

function header(project: string, facts: readonly string[]): Markup {
  return html`<header><h1>${project}</h1><ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul></header>`;
}

function notice({ text, tone, action }: Notice): Markup {
  const word = tone === 'info' ? null : html`<strong>${tone === 'error' ? 'Error' : 'Note'}:</strong> `;
  const button =
    action === null
      ? null
      : html`<button type="button" data-command="${action.command}" data-key="do:${action.command}">${action.label}</button>`;
  return html`<section class="notice ${tone}"><p>${word}${text}</p>${button}</section>`;
}

function next({ path, summary, items, dropped, text }: NextContext): Markup {
  return html`<section aria-labelledby="next">
<h2 id="next">Next completion</h2>
<p class="path">${path}</p>
<p class="quiet">${summary}</p>
${itemList(items)}
${left(dropped, 'next')}
${text === '' ? null : html`<details data-key="text"><summary>The text itself</summary><pre tabindex="0">${text}</pre></details>`}
</section>`;
}

function itemList(items: readonly ContextItem[]): Markup {
  return html`<ul class="items">${items.map(
    ({ kind, ref, tokens, why }) => html`<li>
<span class="kind">${kind}</span> <span class="ref">${ref}</span> <span class="tokens">${tokens}<span class="unit"> tokens</span></span>
<span class="why">${why}</span>
</li>`,
  )}</ul>`;
}

function left(dropped: readonly ContextItem[], key: string): Markup | null {
  if (dropped.length === 0) return null;
  return html`<details data-key="dropped:${key}"><summary>Left out (${dropped.length})</summary>${itemList(dropped)}</details>`;
}

function marks(lines: readonly MarkLine[], more: number): Markup | null {
  if (lines.length === 0) return null;
  return html`<section aria-labelledby="marks">
<h2 id="marks">Marks</h2>
<ul class="items">${lines.map(
    ({ target, tags, weight }) => html`<li>
<span class="ref">${target}</span> <span class="tokens" title="Weight: fades with time">${weight}</span>
<span class="why">${tags.length === 0 ? 'no tags' : tags.map((tag) => html`<span class="tag">${tag}</span> `)}</span>
</li>`,
  )}</ul>
${more === 0 ? null : html`<p class="quiet">and ${more} more</p>`}
</section>`;
}

function sent(requests: readonly SentRequest[]): Markup {
  return html`<section aria-labelledby="sent">
<h2 id="sent">Last requests</h2>
${requests.length === 0 ? html`<p class="quiet">None yet. Every request will be listed here with what it carried.</p>` : requests.map(sentRequest)}
</section>`;
}

function sentRequest({ id, at, title, summary, items, dropped }: SentRequest): Markup {
  return html`<details class="request" data-key="sent:${id}">
<summary><time datetime="${at}">${at.slice(11, 16)} UTC</time> ${title}<span class="why">${summary}</span></summary>
${itemList(items)}
${left(dropped, id)}
</details>`;
}
