/** Derives readable colours from the site's colour, for the light and the dark theme. */

type Rgb = [number, number, number];

const partsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as Rgb;
const textOf = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Darkens or lightens the colour until the contrast suffices. */
function readableOn(paper: Rgb, color: Rgb): Rgb {
  const goal = luminance(paper) > 0.4 ? 0 : 255;
  let made = color;
  for (let step = 0; step < 20 && contrast(made, paper) < 4.6; step++) {
    made = made.map((part) => part + (goal - part) * 0.1) as Rgb;
  }
  return made;
}

export function colorsOf(color: string): { [name: string]: string } {
  const own = partsOf(color);
  const white: Rgb = [255, 255, 255];
  const black: Rgb = [17, 17, 17];
  return {
    '--brand': color,
    '--on-brand': contrast(own, white) >= contrast(own, black) ? '#fff' : '#111',
    '--brand-ink-light': textOf(readableOn(white, own)),
    '--brand-ink-dark': textOf(readableOn([23, 24, 28], own)),
  };
}
