/** What a person calls the device behind a User-Agent: enough to recognize one's own. */
const browsers: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

export interface Device {
  browser: string | null;
  system: string | null;
  isPhone: boolean;
}

export function deviceOf(userAgent: string | null): Device {
  const text = userAgent ?? '';
  const nameIn = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(text))?.[1] ?? null;
  // Scripts name themselves first: curl/8.5.0.
  const script = /^(?!Mozilla\/)([\w.-]+)\//.exec(text)?.[1] ?? null;
  return {
    browser: nameIn(browsers) ?? script,
    system: nameIn(systems),
    isPhone: /\b(?:iPhone|Android)\b/.test(text),
  };
}
