/** The settings of a website as they are typed, and what is wrong with them. */
import type { WebsiteSettings, WebsiteSettingsInput } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { ApiError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';

const { pages, depth } = limits.website;

/** Lists have one entry per line. */
export interface WebsiteForm {
  startUrls: string;
  sitemapUrls: string;
  include: string;
  exclude: string;
  maxPages: string;
  maxDepth: string;
  schedule: WebsiteSettings['schedule'];
  publish: WebsiteSettings['publish'];
  headers: string;
}

const lines = (list: readonly string[] = []) => list.join('\n');

export const startSettings = (settings: WebsiteSettingsInput): WebsiteForm => ({
  startUrls: lines(settings.startUrls),
  sitemapUrls: lines(settings.sitemapUrls),
  include: lines(settings.include),
  exclude: lines(settings.exclude),
  maxPages: String(settings.maxPages ?? pages.default),
  maxDepth: String(settings.maxDepth ?? depth.default),
  schedule: settings.schedule ?? 'weekly',
  publish: settings.publish ?? 'automatic',
  headers: lines(Object.entries(settings.headers ?? {}).map(([name, value]) => `${name}: ${value}`)),
});

const listOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const headerForm = /^([^:\s]+)\s*:\s*(.+)$/;

export const readSettings = (form: WebsiteForm): WebsiteSettingsInput => ({
  startUrls: listOf(form.startUrls),
  sitemapUrls: listOf(form.sitemapUrls),
  include: listOf(form.include),
  exclude: listOf(form.exclude),
  maxPages: Number(form.maxPages),
  maxDepth: Number(form.maxDepth),
  schedule: form.schedule,
  publish: form.publish,
  headers: Object.fromEntries(
    listOf(form.headers).map((line) => {
      const [, name = '', value = ''] = headerForm.exec(line) ?? [];
      return [name, value];
    }),
  ),
});

export interface FieldProblem {
  field: keyof WebsiteForm;
  text: string;
}

const isAddress = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? '');
const isWhole = (text: string, min: number, max: number) =>
  /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;

/** The first problem that the form alone shows. */
export function problemOf(form: WebsiteForm): FieldProblem | null {
  for (const field of ['startUrls', 'sitemapUrls'] as const) {
    const line = listOf(form[field]).find((one) => !isAddress(one));
    if (line !== undefined) return { field, text: t('knowledge.website.addressLine', { line }) };
  }
  for (const field of ['include', 'exclude'] as const) {
    const line = listOf(form[field]).find((one) => !one.startsWith('/'));
    if (line !== undefined) return { field, text: t('knowledge.website.pathLine', { line }) };
  }
  const between = (min: number, max: number) => t('knowledge.website.between', { min, max });
  if (!isWhole(form.maxPages, 1, pages.max)) return { field: 'maxPages', text: between(1, pages.max) };
  if (!isWhole(form.maxDepth, 0, depth.max)) return { field: 'maxDepth', text: between(0, depth.max) };
  const header = listOf(form.headers).find((line) => !headerForm.test(line));
  if (header === undefined) return null;
  return { field: 'headers', text: t('knowledge.website.headerLine', { line: header }) };
}

/** The service says `settings.startUrls[0] must be …`. Null: it is about something else. */
export function refusedField(form: WebsiteForm, error: unknown): FieldProblem | null {
  if (!(error instanceof ApiError) || error.status !== 400) return null;
  const [, name = '', at, problem = ''] = /^settings\.(\w+)(?:\[(\d+)\])?\S* (.+)$/.exec(error.message) ?? [];
  if (!Object.hasOwn(form, name)) return null;
  const field = name as keyof WebsiteForm;
  const line = at && listOf(form[field])[Number(at)];
  return { field, text: line ? `${line}: ${problem}` : `${name} ${problem}` };
}
