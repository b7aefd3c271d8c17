/** A canvas on which nothing is drawn: charts are laid out and take keys as if it were. */
import type { ICanvasAdapter } from 'happy-dom';

/** Everything may be called and set; only what is measured has a value. */
function newPen(): object {
  const own: Record<string | symbol, unknown> = {
    measureText: (text: string) => ({ width: text.length * 6 }),
  };
  return new Proxy(own, { get: (values, name) => (name in values ? values[name] : () => {}) });
}

export class Path2D {
  constructor() {
    // biome-ignore lint/correctness/noConstructorReturn: it takes any call, as the pen does
    return newPen() as Path2D;
  }
}

const pens = new WeakMap<object, object>();

export const canvasAdapter = {
  getContext({ canvas }) {
    let pen = pens.get(canvas);
    if (!pen) {
      pen = Object.assign(newPen(), { canvas });
      pens.set(canvas, pen);
    }
    return pen as ReturnType<ICanvasAdapter['getContext']>;
  },
  toDataURL: () => 'data:,',
  toBlob: (_, callback) => callback(null),
} satisfies ICanvasAdapter;
