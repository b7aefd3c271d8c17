/** Finds what a person would see and no catalogue holds: texts in JSX, in the attributes and properties that are shown. */
import { parseSync } from 'vite';

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const shown = new Set(
  'alt aria-description aria-label ariaLabel description detail hint label placeholder text title tooltip'.split(
    ' ',
  ),
);
const hasWord = (text: string) => /\p{L}{2}/u.test(text);
/** A value such as `'true'` or `'status'` beside a name like `text` is none that is shown. */
const isProse = (text: string) => hasWord(text) && (/^\p{Lu}/u.test(text) || /\s/u.test(text.trim()));

/** The literals that an expression can come to; what stands in a call or a comparison is not one. */
function literals(node: unknown): string[] {
  if (!isNode(node)) return [];
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : [];
    case 'TemplateLiteral':
      return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
    case 'ConditionalExpression':
      return [...literals(node.consequent), ...literals(node.alternate)];
    case 'LogicalExpression':
      return [...literals(node.left), ...literals(node.right)];
    case 'BinaryExpression':
      return node.operator === '+' ? [...literals(node.left), ...literals(node.right)] : [];
    case 'ArrowFunctionExpression':
    case 'JSXExpressionContainer':
      return literals(node.type === 'JSXExpressionContainer' ? node.expression : node.body);
    default:
      return [];
  }
}

const nameOf = (node: unknown): string => (isNode(node) ? String(node.name ?? node.value ?? '') : '');

function of(node: Node): string[] {
  switch (node.type) {
    case 'JSXText':
      return [String(node.value).trim()].filter(hasWord);
    case 'JSXElement':
    case 'JSXFragment':
      return (node.children as Node[])
        .filter(({ type }) => type === 'JSXExpressionContainer')
        .flatMap(literals)
        .filter(hasWord);
    case 'JSXAttribute':
      return shown.has(nameOf(node.name)) ? literals(node.value).filter(hasWord) : [];
    case 'Property':
      return shown.has(nameOf(node.key)) ? literals(node.value).filter(isProse) : [];
    case 'CallExpression': {
      const callee = node.callee as Node;
      const isToast = callee.type === 'MemberExpression' && nameOf(callee.object) === 'toast';
      return isToast ? literals((node.arguments as Node[])[0]).filter(hasWord) : [];
    }
    case 'AssignmentExpression': {
      const left = node.left as Node;
      const isTitle = left.type === 'MemberExpression' && nameOf(left.property) === 'title';
      return isTitle ? literals(node.right).filter(hasWord) : [];
    }
    default:
      return [];
  }
}

export function visibleStrings(path: string, source: string): { line: number; text: string }[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: { line: number; text: string }[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isNode(value)) return;
    const line = source.slice(0, value.start).split('\n').length;
    for (const text of of(value)) found.push({ line, text });
    for (const key in value) if (key !== 'parent') visit(value[key]);
  };
  visit(program);
  return found;
}
