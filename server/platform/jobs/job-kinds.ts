/** Every kind of job has exactly one handler in a worker: one without would wait for ever, one of two would run at random. */
const defined = new Set<string>();

/** Where a feature names a kind of its jobs. */
export function jobKind(name: string): string {
  if (defined.has(name)) throw new Error(`two kinds of jobs have the name ${name}`);
  defined.add(name);
  return name;
}

/** `handled`: those of all handlers of a worker. */
export function requireOneHandlerEach(
  handled: readonly string[],
  kinds: ReadonlySet<string> = defined,
): void {
  const twice = handled.find((kind, index) => handled.indexOf(kind) !== index);
  if (twice !== undefined) throw new Error(`two handlers for jobs of the kind ${twice}`);
  const missing = [...kinds].filter((kind) => !handled.includes(kind));
  if (missing.length > 0) throw new Error(`no handler for jobs of the kind ${missing.join(', ')}`);
}
