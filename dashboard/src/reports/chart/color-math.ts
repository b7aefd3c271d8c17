/**
 * How far apart two colours look, also to people who see fewer of them, and how well one stands out from its ground.
 * Distances are in OKLab, where equal steps look about equal.
 */

export type Rgb = readonly [red: number, green: number, blue: number];
export type Sight = 'usual' | 'protanopia' | 'deuteranopia' | 'tritanopia';

/** Linear light, 0 to 1. */
export function rgbOf(hex: string): Rgb {
  const digits = hex.trim().replace('#', '');
  const full = digits.length === 3 ? [...digits].map((one) => one + one).join('') : digits;
  return [0, 2, 4].map((at) => {
    const value = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
}

export function hexOf(rgb: Rgb): string {
  const digits = rgb.map((light) => {
    const value = light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
    return Math.round(Math.min(1, Math.max(0, value)) * 255)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${digits.join('')}`;
}

/** What the three cones' lack leaves of a colour, after Machado, Oliveira and Fernandes (2009), at full strength. */
const sights: { [sight in Sight]: readonly Rgb[] } = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (rows: readonly Rgb[], [r, g, b]: Rgb): Rgb =>
  rows.map((row) => row[0] * r + row[1] * g + row[2] * b) as unknown as Rgb;

export type Lab = readonly [lightness: number, a: number, b: number];

export function labOf(rgb: Rgb): Lab {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  ).map((one) => Math.cbrt(Math.max(0, one))) as unknown as Rgb;
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

export function rgbOfLab(lab: Lab): Rgb {
  const cones = times(
    [
      [1, 0.3963377774, 0.2158037573],
      [1, -0.1055613458, -0.0638541728],
      [1, -0.0894841775, -1.291485548],
    ],
    lab,
  ).map((one) => one ** 3) as unknown as Rgb;
  return times(
    [
      [4.0767416621, -3.3077115913, 0.2309699292],
      [-1.2684380046, 2.6097574011, -0.3413193965],
      [-0.0041960863, -0.7034186147, 1.707614701],
    ],
    cones,
  );
}

const labCache = new Map<string, Lab>();
function seen(hex: string, sight: Sight): Lab {
  const key = `${sight} ${hex}`;
  let lab = labCache.get(key);
  if (!lab) {
    lab = labOf(times(sights[sight], rgbOf(hex)).map((one) => Math.min(1, Math.max(0, one))) as never);
    labCache.set(key, lab);
  }
  return lab;
}

function distance(a: string, b: string, sight: Sight = 'usual'): number {
  const [one, other] = [seen(a, sight), seen(b, sight)];
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

/** As the worst of the four sights tells them apart. */
export const leastDistance = (a: string, b: string): number =>
  Math.min(...(Object.keys(sights) as Sight[]).map((sight) => distance(a, b, sight)));

const luminance = (hex: string) => {
  const [r, g, b] = rgbOf(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
/** WCAG's ratio; a graphic needs 3 against its ground. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
