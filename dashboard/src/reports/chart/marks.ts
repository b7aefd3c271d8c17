/** What is drawn on a canvas besides lines: markers on points and hatches in bars, the same that legends.tsx shows. */
import type { Hatch, Marker } from './series-look.ts';

/** As an SVG path around 0,0 and as wide as 2. Filled, except for those that are only strokes. */
export const markerPaths: { [marker in Marker]: string } = {
  circle: 'M -1 0 A 1 1 0 1 1 1 0 A 1 1 0 1 1 -1 0 Z',
  square: 'M -0.85 -0.85 H 0.85 V 0.85 H -0.85 Z',
  triangle: 'M 0 -1.1 L 1.1 0.85 H -1.1 Z',
  diamond: 'M 0 -1.2 L 1.2 0 L 0 1.2 L -1.2 0 Z',
  cross: 'M -0.9 -0.9 L 0.9 0.9 M 0.9 -0.9 L -0.9 0.9',
  ring: 'M -1 0 A 1 1 0 1 1 1 0 A 1 1 0 1 1 -1 0 Z',
  bar: 'M 0 -1.2 V 1.2',
};
export const isStroked = (marker: Marker) => marker === 'cross' || marker === 'bar' || marker === 'ring';

export function drawMarker(
  context: CanvasRenderingContext2D,
  marker: Marker,
  x: number,
  y: number,
  radius: number,
  color: string,
  ground: string,
): void {
  context.save();
  context.translate(x, y);
  context.scale(radius, radius);
  const path = new Path2D(markerPaths[marker]);
  context.setLineDash([]);
  if (isStroked(marker)) {
    if (marker === 'ring') {
      context.fillStyle = ground;
      context.fill(path);
    }
    context.strokeStyle = color;
    context.lineWidth = 0.55;
  } else {
    context.fillStyle = color;
    context.fill(path);
    // A thin edge of the ground keeps it readable where lines cross.
    context.strokeStyle = ground;
    context.lineWidth = 0.3;
  }
  context.stroke(path);
  context.restore();
}

/** Lines of a tile of 6 by 6 that repeats without a seam. */
export const hatchPaths: { [hatch in Hatch]: string } = {
  plain: '',
  rising: 'M -1.5 1.5 L 1.5 -1.5 M 0 6 L 6 0 M 4.5 7.5 L 7.5 4.5',
  falling: 'M -1.5 4.5 L 1.5 7.5 M 0 0 L 6 6 M 4.5 -1.5 L 7.5 1.5',
  level: 'M 0 3 H 6',
  upright: 'M 3 0 V 6',
  grid: 'M 0 3 H 6 M 3 0 V 6',
  dots: 'M 1.5 1.5 h 0.01 M 4.5 4.5 h 0.01',
};
export const hatchWidth = (hatch: Hatch) => (hatch === 'dots' ? 1.8 : 1.1);
export const hatchTile = 6;
export const hatchStrength = 0.55;

export function hatchFill(
  hatch: Hatch,
  color: string,
  ground: string,
  ratio: number,
): CanvasPattern | string {
  if (hatch === 'plain') return color;
  const tile = document.createElement('canvas');
  tile.width = Math.round(hatchTile * ratio);
  tile.height = tile.width;
  const context = tile.getContext('2d');
  if (!context) return color;
  context.scale(tile.width / hatchTile, tile.height / hatchTile);
  context.fillStyle = color;
  context.fillRect(0, 0, hatchTile, hatchTile);
  context.globalAlpha = hatchStrength;
  context.strokeStyle = ground;
  context.lineWidth = hatchWidth(hatch);
  context.lineCap = hatch === 'dots' ? 'round' : 'butt';
  context.stroke(new Path2D(hatchPaths[hatch]));
  return context.createPattern(tile, 'repeat') ?? color;
}
