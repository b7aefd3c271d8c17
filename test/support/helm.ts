/**
 * Renders the Helm chart without Helm: the part of Go's text/template, and the few functions, that the chart uses.
 * Anything else is an error, so that a chart that outgrows this renderer fails the tests instead of passing them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

type Value = unknown;
interface Node {
  kind: 'text' | 'action' | 'if' | 'with' | 'range' | 'define';
  text: string;
  body: Node[];
  otherwise: Node[];
}
interface Scope {
  dot: Value;
  root: Value;
  variables: Record<string, Value>;
}

/** The manifests of the chart, as Kubernetes would get them. */
export function renderChart(folder: string, values: object, release = 'talkboard'): object[] {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const chart = parse(read('Chart.yaml')) as { appVersion: string };
  const root = {
    Values: merge(parse(read('values.yaml')), values),
    Chart: { AppVersion: chart.appVersion },
    Release: { Name: release, Namespace: 'default', Service: 'Helm' },
  };
  const defined = new Map<string, Node[]>();
  const files = readdirSync(join(folder, 'templates')).sort();
  const texts = files.map((file) => parseTemplate(read(join('templates', file)), defined));
  const rendered = texts.map((nodes) => run(nodes, { dot: root, root, variables: {} }));
  return files.flatMap((file, index) =>
    file.endsWith('.yaml')
      ? rendered[index]!.split(/^---$/m)
          .map((text) => parse(text) as object)
          .filter(Boolean)
      : [],
  );

  function run(nodes: Node[], scope: Scope): string {
    return nodes.map((node) => runNode(node, scope)).join('');
  }

  function runNode(node: Node, scope: Scope): string {
    switch (node.kind) {
      case 'text':
        return node.text;
      case 'action':
        return String(evaluate(node.text, scope) ?? '');
      case 'define':
        return '';
      case 'if':
        return run(isTrue(evaluate(node.text, scope)) ? node.body : node.otherwise, scope);
      case 'with': {
        const dot = evaluate(node.text, scope);
        return isTrue(dot) ? run(node.body, { ...scope, dot }) : run(node.otherwise, scope);
      }
      case 'range': {
        const [, key, value, list] = /^\$(\w+), \$(\w+) := (.+)$/.exec(node.text) ?? [];
        if (!list) throw new Error(`range ${node.text}: not supported`);
        const entries = Object.entries(evaluate(list, scope) as object).sort(([a], [b]) => (a < b ? -1 : 1));
        return entries
          .map(([name, dot]) =>
            run(node.body, { ...scope, dot, variables: { ...scope.variables, [key!]: name, [value!]: dot } }),
          )
          .join('');
      }
    }
  }

  function evaluate(expression: string, scope: Scope): Value {
    const [first, ...rest] = expression.split('|').map((part) => part.trim());
    return rest.reduce<Value>((piped, call) => invoke(call, scope, [piped]), invoke(first!, scope, []));
  }

  function invoke(call: string, scope: Scope, piped: Value[]): Value {
    const words = call.match(/"[^"]*"|\S+/g) ?? [];
    const [name, ...args] = words;
    if (words.length === 1 && piped.length === 0) return operand(name!, scope);
    const values = [...args.map((word) => operand(word, scope)), ...piped];
    const text = String(values.at(-1) ?? '');
    switch (name) {
      case 'quote':
        return JSON.stringify(text);
      case 'default':
        return isTrue(values[1]) ? values[1] : values[0];
      case 'toYaml':
        return stringify(values[0]).trimEnd();
      case 'nindent':
        return `\n${text.replace(/^/gm, ' '.repeat(Number(values[0])))}`;
      case 'include': {
        const body = defined.get(String(values[0]));
        if (!body) throw new Error(`${values[0]} is not defined`);
        return run(body, { ...scope, dot: values[1], variables: {} });
      }
      default:
        throw new Error(`${name}: not supported`);
    }
  }
}

function operand(word: string, { dot, variables }: Scope): Value {
  if (word.startsWith('"')) return word.slice(1, -1);
  if (/^\d+$/.test(word)) return Number(word);
  if (word.startsWith('$')) return variables[word.slice(1)];
  if (word === '.') return dot;
  if (!word.startsWith('.')) throw new Error(`${word}: not supported`);
  let value: Value = dot;
  for (const name of word.slice(1).split('.')) {
    if (typeof value !== 'object' || value === null || !(name in value))
      throw new Error(`${word} has no value`);
    value = (value as Record<string, Value>)[name];
  }
  return value;
}

function isTrue(value: Value): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Splits the text at its actions; a dash inside the braces removes the white space on that side. */
function parseTemplate(source: string, defined: Map<string, Node[]>): Node[] {
  const root: Node = { kind: 'define', text: '', body: [], otherwise: [] };
  const open: { node: Node; into: Node[] }[] = [{ node: root, into: root.body }];
  const text = source.replace(/\s*\{\{- /g, '{{ ').replace(/ -\}\}\s*/g, ' }}');
  for (const part of text.split(/(\{\{.*?\}\})/)) {
    const top = open.at(-1)!;
    const action = /^\{\{\s*(.*?)\s*\}\}$/.exec(part)?.[1];
    const [, keyword, rest = ''] = /^(if|with|range|define|else|end)\b\s*(.*)$/.exec(action ?? '') ?? [];
    if (action === undefined) top.into.push({ kind: 'text', text: part, body: [], otherwise: [] });
    else if (keyword === undefined) top.into.push({ kind: 'action', text: action, body: [], otherwise: [] });
    else if (keyword === 'end') {
      open.pop();
      if (top.node.kind === 'define') defined.set(top.node.text.replaceAll('"', ''), top.node.body);
    } else if (keyword === 'else') {
      if (rest !== '') throw new Error(`else ${rest}: not supported`);
      top.into = top.node.otherwise;
    } else {
      const node: Node = { kind: keyword as Node['kind'], text: rest, body: [], otherwise: [] };
      top.into.push(node);
      open.push({ node, into: node.body });
    }
  }
  if (open.length !== 1) throw new Error('an action has no end');
  return root.body;
}

function merge(base: Value, over: Value): Value {
  if (typeof base !== 'object' || typeof over !== 'object' || !base || !over || Array.isArray(over))
    return over;
  const merged: Record<string, Value> = { ...base };
  for (const [name, value] of Object.entries(over))
    merged[name] = name in merged ? merge(merged[name], value) : value;
  return merged;
}
