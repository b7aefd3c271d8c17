/** The lines in which two texts differ, by Myers' algorithm: the fewest lines that are removed and added. */

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Of more differences the texts are shown one after the other: comparing them would take too long. */
const maxDifferences = 600;

export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...a.slice(0, start).map(same),
    ...shortestEdit(a.slice(start, endA), b.slice(start, endB)),
    ...a.slice(endA).map(same),
  ];
}

function shortestEdit(a: readonly string[], b: readonly string[]): DiffLine[] {
  const trace = findTrace(a, b);
  if (!trace) {
    return [
      ...a.map((text): DiffLine => ({ kind: 'removed', text })),
      ...b.map((text): DiffLine => ({ kind: 'added', text })),
    ];
  }
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d--) {
    const reached = trace[d]!;
    const k = x - y;
    const isDown = k === -d || (k !== d && at(reached, k - 1) < at(reached, k + 1));
    const fromK = isDown ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(reached, fromK);
    const fromY = d === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) {
      lines.push({ kind: 'same', text: a[--x]! });
      y--;
    }
    if (d === 0) break;
    if (isDown) lines.push({ kind: 'added', text: b[--y]! });
    else lines.push({ kind: 'removed', text: a[--x]! });
  }
  return lines.reverse();
}

type Reached = ReadonlyMap<number, number>;
const at = (reached: Reached, k: number) => reached.get(k) ?? -1;

/** For each number of differences, how far each diagonal had reached before it; null: there are too many. */
function findTrace(a: readonly string[], b: readonly string[]): Reached[] | null {
  const trace: Reached[] = [];
  let reached = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, maxDifferences); d++) {
    trace.push(reached);
    const next = new Map(reached);
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && at(next, k - 1) < at(next, k + 1));
      let x = isDown ? at(next, k + 1) : at(next, k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return trace;
    }
    reached = next;
  }
  return null;
}

export type DiffBlock = { kind: 'lines'; lines: DiffLine[] } | { kind: 'hidden'; lines: DiffLine[] };

const context = 3;

/** Long runs of the same lines are folded, but for a few beside each difference. */
export function foldSame(lines: readonly DiffLine[]): DiffBlock[] {
  const blocks: DiffBlock[] = [];
  const add = (kind: DiffBlock['kind'], more: readonly DiffLine[]) => {
    if (more.length === 0) return;
    const last = blocks.at(-1);
    if (last?.kind === kind) last.lines.push(...more);
    else blocks.push({ kind, lines: [...more] });
  };
  for (let from = 0; from < lines.length; ) {
    let to = from;
    while (to < lines.length && lines[to]!.kind === 'same') to++;
    if (to === from) {
      add('lines', [lines[from++]!]);
      continue;
    }
    const head = from === 0 ? 0 : context;
    const tail = to === lines.length ? 0 : context;
    if (to - from <= head + tail + 1) add('lines', lines.slice(from, to));
    else {
      add('lines', lines.slice(from, from + head));
      add('hidden', lines.slice(from + head, to - tail));
      add('lines', lines.slice(to - tail, to));
    }
    from = to;
  }
  return blocks;
}
