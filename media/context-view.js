// @ts-check
/** The context view's page: shows what the extension sends and says which command was asked for. Nothing else. */
(() => {
  const vscode = acquireVsCodeApi();
  const main = /** @type {HTMLElement} */ (document.getElementById('context'));
  const state = /** @type {{ open: string[] } | undefined} */ (vscode.getState());
  const open = new Set(state?.open ?? []);

  /** @param {string} key */
  const byKey = (key) => main.querySelector(`[data-key="${CSS.escape(key)}"]`);

  /** @param {string} iso */
  const clock = (iso) => new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

  /** @param {string} content markup in which everything from outside was escaped by the extension */
  function show(content) {
    const active = document.activeElement;
    const focused = active instanceof HTMLElement ? active.closest('[data-key]') : null;
    const key = focused instanceof HTMLElement ? focused.dataset['key'] : undefined;
    main.innerHTML = content;
    for (const time of main.querySelectorAll('time')) time.textContent = clock(time.dateTime);
    for (const details of main.querySelectorAll('details')) details.open = open.has(details.dataset['key'] ?? '');
    const again = key === undefined ? null : byKey(key);
    const target = again instanceof HTMLDetailsElement ? again.querySelector('summary') : again;
    if (target instanceof HTMLElement) target.focus();
  }

  // A toggle does not bubble, so it is caught on its way down.
  main.addEventListener(
    'toggle',
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement)) return;
      const key = target.dataset['key'] ?? '';
      if (target.open) open.add(key);
      else open.delete(key);
      vscode.setState({ open: [...open] });
    },
    true,
  );

  main.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button[data-command]') : null;
    if (button instanceof HTMLElement) vscode.postMessage({ type: 'command', command: button.dataset['command'] });
  });

  window.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    vscode.postMessage({ type: 'violation', directive: violatedDirective, uri: blockedURI });
  });

  window.addEventListener('message', ({ data }) => {
    if (data?.type === 'content') show(String(data.content));
  });

  vscode.postMessage({ type: 'ready' });
})();
