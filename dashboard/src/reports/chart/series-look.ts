/**
 * How a series differs from the others: a colour, and always a second sign (dashes and a marker on lines, a hatch in
 * bars), so that it works without seeing colours.
 */
import { contrast, hexOf, labOf, leastDistance, rgbOf, rgbOfLab } from './color-math.ts';

export const markers = ['circle', 'square', 'triangle', 'diamond', 'cross', 'ring', 'bar'] as const;
export type Marker = (typeof markers)[number];
export const hatches = ['plain', 'rising', 'dots', 'level', 'falling', 'upright', 'grid'] as const;
export type Hatch = (typeof hatches)[number];

export interface SeriesLook {
  /** A colour or `var(--token)`. */
  color: string;
  dash: readonly number[];
  marker: Marker;
  hatch: Hatch;
}

const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 2], [1, 3], [10, 4]];
const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!;

/** After Okabe and Ito, moved until each pair differs for every kind of sight (palette.test.ts measures it). */
export const chartHues = 7;

export const lookOf = (index: number, color = `var(--chart-${(index % chartHues) + 1})`): SeriesLook => ({
  color,
  dash: at(dashes, index),
  marker: at(markers, index),
  hatch: at(hatches, index),
});

const apart = 0.06;
const visible = 3;
const steps = [0, ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((step) => [step * -0.05, step * 0.05])];

/**
 * The users' own colours, made lighter or darker until they stand out from the ground and from each other. Hues stay,
 * so that a status is still known by the colour it has on the board; when no lightness is left the farthest is taken.
 */
export function tellApart(colors: readonly string[], ground: string): string[] {
  const taken: string[] = [];
  for (const color of colors) {
    const [lightness, a, b] = labOf(rgbOf(/^#[0-9a-f]{3,8}$/i.test(color) ? color : '#808080'));
    const ways = steps
      .map((step) => hexOf(rgbOfLab([Math.min(0.95, Math.max(0.15, lightness + step)), a, b])))
      .map((hex) => ({
        hex,
        stands: contrast(hex, ground) >= visible,
        room: Math.min(1, ...taken.map((one) => leastDistance(one, hex))),
      }));
    const standing = ways.filter(({ stands }) => stands);
    const from = standing.length > 0 ? standing : ways;
    const best =
      from.find(({ room }) => room >= apart) ?? from.reduce((one, two) => (two.room > one.room ? two : one));
    taken.push(best.hex);
  }
  return taken;
}
