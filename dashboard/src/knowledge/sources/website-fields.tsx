/** What is read of a website. Lists are typed one per line; the rest has defaults and is folded. */
import type { WebsiteSettings, WebsiteSettingsInput } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { ExplainedError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';

const { pages, depth } = limits.website;

/** As it is typed. */
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

export const readSettings = (form: WebsiteForm): WebsiteSettingsInput => ({
  startUrls: listOf(form.startUrls),
  sitemapUrls: listOf(form.sitemapUrls),
  include: listOf(form.include),
  exclude: listOf(form.exclude),
  maxPages: Number(form.maxPages),
  maxDepth: Number(form.maxDepth),
  schedule: form.schedule,
  publish: form.publish,
  headers: readHeaders(form.headers),
});

function readHeaders(text: string): { [name: string]: string } {
  const headers: { [name: string]: string } = {};
  for (const line of listOf(text)) {
    const [, name, value] = /^([^:\s]+)\s*:\s*(.+)$/.exec(line) ?? [];
    if (!name || !value) throw new ExplainedError(t('knowledge.website.headerLine', { line }));
    headers[name] = value;
  }
  return headers;
}

export function WebsiteFields({ form, onChange }: { form: WebsiteForm; onChange(form: WebsiteForm): void }) {
  const bind = (field: keyof WebsiteForm) => ({
    value: form[field],
    onChange: (value: string) => onChange({ ...form, [field]: value }),
  });
  const list = { lines: { min: 1, max: 6 }, mono: true, spellCheck: false } as const;
  return (
    <>
      <TextField
        label={t('knowledge.website.startUrls')}
        hint={t('knowledge.website.startUrlsHint')}
        placeholder="https://example.com/help"
        {...list}
        {...bind('startUrls')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('knowledge.website.schedule')}>
          {(ids) => (
            <Select
              {...ids}
              value={form.schedule}
              onChange={(schedule) => onChange({ ...form, schedule })}
              options={(['never', 'daily', 'weekly'] as const).map((value) => ({
                value,
                label: t(`knowledge.website.schedule.${value}`),
              }))}
            />
          )}
        </Field>
        <Field label={t('knowledge.website.publish')} hint={t('knowledge.website.publishHint')}>
          {(ids) => (
            <Select
              {...ids}
              value={form.publish}
              onChange={(publish) => onChange({ ...form, publish })}
              options={(['automatic', 'review'] as const).map((value) => ({
                value,
                label: t(`knowledge.website.publish.${value}`),
              }))}
            />
          )}
        </Field>
      </div>
      <details className="group/more rounded-panel border border-line">
        <summary className="rounded-panel px-3 py-2 font-medium hover:bg-hover">
          {t('knowledge.website.more')}
        </summary>
        <div className="flex flex-col gap-4 border-t border-line p-3">
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label={t('knowledge.website.include')}
              hint={t('knowledge.website.includeHint')}
              {...list}
              {...bind('include')}
            />
            <TextField
              label={t('knowledge.website.exclude')}
              hint={t('knowledge.website.excludeHint')}
              {...list}
              {...bind('exclude')}
            />
            <TextField
              label={t('knowledge.website.maxPages')}
              type="number"
              min={1}
              max={pages.max}
              {...bind('maxPages')}
            />
            <TextField
              label={t('knowledge.website.maxDepth')}
              hint={t('knowledge.website.maxDepthHint')}
              type="number"
              min={0}
              max={depth.max}
              {...bind('maxDepth')}
            />
          </div>
          <TextField
            label={t('knowledge.website.sitemapUrls')}
            hint={t('knowledge.website.sitemapUrlsHint')}
            {...list}
            {...bind('sitemapUrls')}
          />
          <TextField
            label={t('knowledge.website.headers')}
            hint={t('knowledge.website.headersHint')}
            {...list}
            {...bind('headers')}
          />
        </div>
      </details>
    </>
  );
}
