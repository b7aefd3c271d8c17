/** Import cycles: groups of files that import each other, directly or through others. Type-only imports count. */
import type { SourceFile } from './source.ts';

/** Tarjan's strongly connected components, without those of a single file. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  const importsOf = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(({ isOurs }) => isOurs).map(({ target }) => target),
    ]),
  );
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string) => {
    indexes.set(path, indexes.size);
    lowest.set(path, indexes.get(path)!);
    stack.push(path);
    for (const target of importsOf.get(path)!) {
      if (!importsOf.has(target)) continue;
      if (!indexes.has(target)) visit(target);
      if (stack.includes(target)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(target)!));
    }
    if (lowest.get(path) !== indexes.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1 || importsOf.get(path)!.includes(path)) cycles.push(group.sort());
  };
  for (const path of importsOf.keys()) if (!indexes.has(path)) visit(path);
  return cycles;
}
