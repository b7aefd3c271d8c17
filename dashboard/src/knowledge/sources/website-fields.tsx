/** What is read of a website. Lists are typed one per line; the rest has defaults and is folded. */
import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import type { FieldProblem, WebsiteForm } from './website-form.ts';

const { pages, depth } = limits.website;

const folded: readonly (keyof WebsiteForm)[] = [
  'include',
  'exclude',
  'maxPages',
  'maxDepth',
  'sitemapUrls',
  'headers',
];

export function WebsiteFields({
  form,
  problem,
  onChange,
}: {
  form: WebsiteForm;
  problem: FieldProblem | null;
  onChange(form: WebsiteForm): void;
}) {
  const [isOpen, setOpen] = useState(false);
  const hasFolded = problem !== null && folded.includes(problem.field);
  const bind = (field: keyof WebsiteForm) => ({
    value: form[field],
    error: problem?.field === field ? problem.text : undefined,
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
      <details
        open={isOpen || hasFolded}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        className="rounded-panel border border-line"
      >
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
