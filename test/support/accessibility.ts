/** What axe finds on a page that is serious or worse. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { root } from './program.ts';

const axe = readFileSync(`${root}/node_modules/axe-core/axe.min.js`, 'utf8');

/** Rules that find nothing serious: a third of the time. `no-autoplay-audio` reads all style sheets first. */
const lessSerious = [
  'aria-allowed-role',
  'aria-deprecated-role',
  'empty-heading',
  'empty-table-header',
  'form-field-multiple-labels',
  'heading-order',
  'html-xml-lang-mismatch',
  'image-redundant-alt',
  'landmark-banner-is-top-level',
  'landmark-contentinfo-is-top-level',
  'landmark-main-is-top-level',
  'landmark-no-duplicate-banner',
  'landmark-no-duplicate-contentinfo',
  'landmark-no-duplicate-main',
  'landmark-one-main',
  'landmark-unique',
  'meta-viewport',
  'meta-viewport-large',
  'no-autoplay-audio',
  'page-has-heading-one',
  'presentation-role-conflict',
  'region',
  'scope-attr-valid',
  'server-side-image-map',
  'skip-link',
  'table-duplicate-name',
];
const allRules = { rules: Object.fromEntries(lessSerious.map((id) => [id, { enabled: false }])) };
/** What another theme can change. */
const colorRules = { runOnly: ['color-contrast', 'link-in-text-block'] };

interface AxeViolation {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** As readable lines. */
export async function seriousViolations(page: Page, rules: object = allRules): Promise<string[]> {
  // The page's policy allows only its own scripts; the debugger's evaluation is exempt.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  const violations = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as AxeViolation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 5).map((node) => `${id}: ${node.target.join(' ')}\n  ${node.failureSummary}`),
    );
}

/** In the dark theme, then in the light one, which the page keeps. */
export async function violationsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await seriousViolations(page, colorRules);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...dark.map((one) => `dark: ${one}`), ...(await seriousViolations(page))];
}
