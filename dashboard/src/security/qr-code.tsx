import { generate } from 'lean-qr';

const quietZone = 4;

/** Always dark on white, also in the dark theme: that is what cameras read. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = generate(text);
  let dark = '';
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) dark += `M${x} ${y}h1v1h-1z`;
  }
  const size = code.size + 2 * quietZone;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-quietZone} ${-quietZone} ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 self-center rounded-control"
    >
      <rect x={-quietZone} y={-quietZone} width={size} height={size} fill="#ffffff" />
      <path d={dark} fill="#000000" />
    </svg>
  );
}
