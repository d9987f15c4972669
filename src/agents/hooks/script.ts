import { createHash } from 'node:crypto';

/** The hooks of git after which HEAD or the working tree may be another. */
export const HOOK_NAMES = ['post-commit', 'post-checkout', 'post-merge', 'post-rewrite'] as const;
export type HookName = (typeof HOOK_NAMES)[number];

/** Where the hook that was there before is kept, beside ours: it may look for its neighbours. */
export const KEPT_SUFFIX = '.before-project-anchor';

export interface HookPlan {
  readonly name: HookName;
  /** Absolute path of the launcher; null leaves only the `project-anchor` on the PATH. */
  readonly launcher: string | null;
  /** The data folder at installation: a hook may run in an environment without the variables that lead to it. */
  readonly data: string;
  /** How many folders were made for the hooks; they go with the last hook if nothing else is in them. */
  readonly made: number;
}

/** What a file at the place of a hook is. */
export type HookText =
  | { readonly kind: 'foreign' }
  /** Ours, byte for byte as it was written. */
  | { readonly kind: 'ours'; readonly made: number }
  /** Ours, but somebody has edited it since. */
  | { readonly kind: 'changed' };

const MARK = '# ProjectAnchor git hook';
const CHECK = /^# check ([0-9a-f]{64})$/m;
const MADE = /^# folders made (\d+)$/m;

/** Recognises a hook of ours by its first lines, and by its own checksum whether it is untouched. */
export function readHook(text: string): HookText {
  if (!text.startsWith(`#!/bin/sh\n${MARK}`)) return { kind: 'foreign' };
  const check = CHECK.exec(text);
  const untouched = check !== null && check[1] === sha256(text.replace(CHECK, '# check'));
  return untouched ? { kind: 'ours', made: Number(MADE.exec(text)?.[1] ?? 0) } : { kind: 'changed' };
}

/**
 * The text of a hook: POSIX sh, which is also what Git for Windows runs hooks with. It writes down that there is
 * something to see, has at most one process per working tree look at it, and goes on as the hook that was there before.
 */
export function hookScript(plan: HookPlan): string {
  const text = template(plan);
  return text.replace('# check', `# check ${sha256(text)}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** A word of sh, whatever is in it. Windows paths are written with `/`, which both sides read. */
function quoted(path: string): string {
  const portable = /^[A-Za-z]:\\/.test(path) ? path.replaceAll('\\', '/') : path;
  return `'${portable.replaceAll("'", "'\\''")}'`;
}

/**
 * Costs a few milliseconds: everything ahead of the hand-over is built into the shell. Files beside `$turn`:
 * `.wish` what is to be seen, read and removed by the process that looks; `.run` who looks; `.err` why none could start.
 */
function template({ name, launcher, data, made }: HookPlan): string {
  return `#!/bin/sh
${MARK}, version 1: hands over to "project-anchor snapshot --trigger hook" and returns.
# "project-anchor hook remove" puts back what was here before; a file that was edited is left alone.
# check
# folders made ${made}

name=${name}
launcher=${quoted(launcher ?? '')}
data=${quoted(data)}

# Whether the process $pid runs: one that has ended may not have been noticed by its parent yet.
lives() {
  kill -0 "$pid" 2>/dev/null || return 1
  [ -r "/proc/$pid/stat" ] || return 0
  read -r rest rest state rest <"/proc/$pid/stat"
  [ "$state" != Z ]
}

hand_over() {
  # Only a working tree has something to see.
  [ -e .git ] || return 0
  dir=$GIT_DIR
  if [ -z "$dir" ]; then
    dir=.git
    [ -f .git ] && IFS= read -r dir <.git
    dir=\${dir#gitdir: }
  fi
  # A rebase begins with a checkout, whose process waits for its end, and mostly ends with post-rewrite.
  if [ -d "$dir/rebase-merge" ] || [ -d "$dir/rebase-apply" ]; then
    case "$name $1" in
      'post-rewrite rebase' | post-checkout*) ;;
      *) return 0 ;;
    esac
  fi

  command=$launcher
  [ -n "$command" ] && [ -x "$command" ] || command=$(command -v project-anchor) || return 0

  umask 077
  PROJECT_ANCHOR_HOME=\${PROJECT_ANCHOR_HOME:-$data}
  export PROJECT_ANCHOR_HOME
  turns=$PROJECT_ANCHOR_HOME/hooks
  [ -d "$turns" ] || mkdir -p "$turns" || return 0

  # The path of the working tree as one name; its end is enough to tell trees apart where it is too long for one.
  cd -P . || return 0
  turn=
  rest=$PWD
  while [ "$rest" != "\${rest#*/}" ]; do
    turn=$turn\${rest%%/*}%
    rest=\${rest#*/}
  done
  turn=$turn$rest
  while [ \${#turn} -gt 200 ]; do turn=\${turn#?}; done
  turn=$turns/$turn

  # First what is to be seen, then the look at who sees to it; he leaves in the other order, so nothing is missed.
  printf '%s\\n' "$pairs" >>"$turn.wish" || return 0
  set -C
  if ! { true >"$turn.run"; } 2>/dev/null; then
    pid=
    read -r pid rest <"$turn.run"
    if [ -n "$(find "$turn.run" -mmin -3 2>/dev/null)" ]; then
      # A name without a number was taken a moment ago.
      [ -z "$pid" ] && return 0
      lives && return 0
    fi
  fi
  set +C

  # Nothing of the terminal or of git's pipes goes along, and closing the terminal does not end it.
  trap '' HUP
  own_session=
  command -v setsid >/dev/null 2>&1 && own_session=setsid
  $own_session "$command" snapshot --trigger hook --turn "$turn" --cwd "$PWD" \\
    </dev/null >/dev/null 2>"$turn.err" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
  echo $! >"$turn.run"
}

pairs=
[ $name = post-rewrite ] && pairs=$(cat)
# Files that were checked out are no news; what moved HEAD is.
[ "$name $3" = 'post-checkout 0' ] || (hand_over "$@") </dev/null >/dev/null 2>&1

here=.
case $0 in */*) here=\${0%/*} ;; esac
kept=$here/$name${KEPT_SUFFIX}
[ -f "$kept" ] && [ -x "$kept" ] || exit 0

# A shell script is read by its shell under the name of the hook, which such scripts go by.
shell=
IFS= read -r first <"$kept"
case $first in
  '#!/bin/sh' | '#! /bin/sh' | '#!/usr/bin/sh' | '#!/usr/bin/env sh') shell=sh ;;
  '#!/bin/sh -e' | '#! /bin/sh -e') shell='sh -e' ;;
  '#!/bin/bash' | '#! /bin/bash' | '#!/usr/bin/bash' | '#!/usr/bin/env bash') shell=bash ;;
  '#!/bin/bash -e' | '#! /bin/bash -e') shell='bash -e' ;;
esac
go_on() {
  [ -n "$shell" ] && exec $shell -c 'before=$1; shift; . "$before"' "$here/$name" "$kept" "$@"
  exec "$kept" "$@"
}
[ $name = post-rewrite ] || go_on "$@"
if [ -n "$pairs" ]; then printf '%s\\n' "$pairs" 2>/dev/null | (go_on "$@"); else (go_on "$@") </dev/null; fi
`;
}
