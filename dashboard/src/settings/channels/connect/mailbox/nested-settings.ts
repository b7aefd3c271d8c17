/** Settings with objects in them: `imap.host` of the form is `imap: { host }` of the service. */

type Values = { [name: string]: unknown };

export function nested(entries: readonly (readonly [string, unknown])[]): Values {
  const values: Values = {};
  for (const [path, value] of entries) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let at = values;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Values;
    }
    at[last] = value;
  }
  return values;
}

/** As the service has it: ports and limits are numbers, TLS is on or off. */
export function storedValue(path: string, text: string): unknown {
  if (path.endsWith('.port') || path.startsWith('repliesPer')) return Number(text);
  return path.endsWith('.tls') ? text === 'tls' : text;
}

/** As the form has it. */
export function shownValue(connector: Values, path: string): string {
  const value = path.split('.').reduce<unknown>((at, name) => (at as Values | undefined)?.[name], connector);
  if (path.endsWith('.tls')) return value === false ? 'starttls' : 'tls';
  return String(value ?? '');
}
