/**
 * A number as people type it: `1,234.50`, `1.234,50` and `1234.5` are the same. Where it could be either, `1.234` or
 * `1,234`, the reader's own decimal sign decides. undefined: it is none.
 */
export function readNumber(text: string, ownDecimal = '.'): number | undefined {
  const plain = text.replace(/[\s'’ ]/g, '');
  const [dot, comma] = [plain.lastIndexOf('.'), plain.lastIndexOf(',')];
  let decimal = '';
  if (dot >= 0 && comma >= 0) decimal = dot > comma ? '.' : ',';
  else if (dot >= 0 && plain.indexOf('.') === dot) decimal = '.';
  else if (comma >= 0 && plain.indexOf(',') === comma) decimal = ',';
  // A single sign that is not the own one, before exactly three digits, separates thousands more often than not.
  if (decimal !== ownDecimal && /^[-+]?\d{1,3}[.,]\d{3}$/.test(plain)) decimal = '';
  const normal = [...plain]
    .map((character) =>
      character === decimal ? '.' : character === '.' || character === ',' ? '' : character,
    )
    .join('');
  if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(normal)) return undefined;
  return Number(normal);
}
