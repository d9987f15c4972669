/** Everything but the editor, bundled once without `vscode`: the command line runs on this bundle. */
export async function runCommandLine(_args: readonly string[]): Promise<number> {
  return 2;
}
