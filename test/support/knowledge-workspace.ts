/** Knowledge of a workspace after some weeks, and every view of it: for screenshots and for visual tests. */
import type { Page } from 'playwright-core';
import { settled } from './dashboard.ts';
import { eventually } from './eventually.ts';
import type { Json, TestService } from './service.ts';
import type { View } from './views.ts';
import { article, linksTo, startWebsite } from './website.ts';

export interface KnowledgePlaces {
  articles: string;
  article: string;
  translation: string;
  files: string;
  website: string;
  run: string;
}

const returns = [
  '# Returns and exchanges',
  'You can return unopened bags of coffee within **30 days**. Write to [service@example.com](mailto:service@example.com) first.',
  '## How long it takes',
  '1. We confirm your return on the same day.',
  '2. The parcel service picks it up within two days.',
  '3. We refund the money when it arrives.',
  '| Product | Days | Who pays the shipping |',
  '|---|---|---|',
  '| Beans | 30 | the customer |',
  '| Grinders | 60 | we do |',
  '| Training | 14 | nobody |',
  '## What cannot be returned',
  '- Opened bags, except for a fault',
  '- Gift cards',
]
  .join('\n\n')
  .replaceAll('|\n\n|', '|\n|')
  .replaceAll(/\n\n(\d\.|- )/g, '\n$1');

/** Needs `loopbackAllowed`: it reads a website that lives as long as this. */
export async function fillKnowledge(service: TestService): Promise<KnowledgePlaces> {
  const ask = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, path, { token: service.admin.jwt, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const as = (method: string, path: string, body?: object) => ask(method, `/knowledge${path}`, body);
  const { items } = await as('GET', '/sources');
  const articles = items[0].id;
  const write = (title: string, text: string, more: object = {}) =>
    as('POST', '/documents', { sourceId: articles, title, text, state: 'published', ...more });
  const { id } = await write('Returns and exchanges', returns.replace('30 days', '14 days'));
  await as('PUT', `/documents/${id}`, {
    title: 'Returns and exchanges',
    text: returns,
    state: 'published',
    expectedVersion: 1,
  });
  await as('PUT', `/documents/${id}`, {
    title: 'Returns and exchanges',
    text: `${returns}\n- Personal engravings`,
    expectedVersion: 2,
  });
  await as('POST', '/questions', { q: 'Can I give back a grinder?', documentIds: [id] });
  await as('POST', '/questions', { q: 'Who pays the postage of a return?', documentIds: [id] });
  await write('Delivery on Saturdays', 'We deliver on Saturdays in Lisbon and Porto, from 9 to 13.');
  await write('Prices for resellers', 'From 12 kg a week: 10 % less.', { audience: 'internal' });
  await write('Grinding for filter and espresso', 'Tell us your machine.', { state: 'draft' });
  const help = { slug: 'harbour-roastery', enabled: true, languages: ['en', 'pt', 'es'], color: '#0f5c4d' };
  await ask('PATCH', '/help-center', help);
  const orders = await as('POST', '/collections', { name: 'Orders and returns' });
  await as('POST', '/collections', { name: 'Returns', parent: orders.id });
  await as('POST', '/collections', { name: 'Delivery' });
  await as('PATCH', `/documents/${id}`, { collectionId: orders.id });
  const { id: translation } = await write('Trocas e devoluções', returns, {
    ...{ language: 'pt', translationOf: id, state: 'draft' },
  });
  const files = await as('POST', '/sources', { name: 'Manuals', kind: 'files' });
  const site = await startWebsite({
    '/help': article('Help', 'Everything about coffee.') + linksTo('/help/beans', '/help/hours', '/help/old'),
    '/help/beans': article('How to store beans', 'Store them in the dark and cool.'),
    '/help/hours': article('Opening hours', 'We are open from Monday to Saturday, from 8 to 18.'),
  });
  try {
    const settings = { startUrls: [`${site.origin}/help`], schedule: 'weekly', publish: 'review' };
    const website = await as('POST', '/sources', { name: 'Help pages', kind: 'website', settings });
    const { runId } = await as('POST', `/sources/${website.id}/sync`);
    await eventually(async () => (await as('GET', `/runs/${runId}`)).state === 'review', 30_000);
    return { articles, article: id, translation, files: files.id, website: website.id, run: runId };
  } finally {
    await site.close();
  }
}

export function knowledgeViews({
  articles,
  article: id,
  translation,
  files,
  website,
  run,
}: KnowledgePlaces): View[] {
  const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click();
  return [
    { name: 'knowledge', path: '/knowledge' },
    {
      name: 'knowledge-add',
      path: '/knowledge',
      act: (page) => page.getByRole('button', { name: 'Add source' }).click(),
    },
    {
      name: 'knowledge-found',
      path: '/knowledge',
      async act(page) {
        await page.getByLabel('Search knowledge as an agent does').fill('when can I return a grinder?');
        await page.getByRole('region', { name: 'Passages found' }).waitFor();
        await settled(page);
      },
    },
    { name: 'knowledge-articles', path: `/knowledge/sources/${articles}` },
    { name: 'knowledge-files', path: `/knowledge/sources/${files}` },
    { name: 'knowledge-website', path: `/knowledge/sources/${website}` },
    { name: 'knowledge-run', path: `/knowledge/runs/${run}` },
    { name: 'knowledge-document', path: `/knowledge/documents/${id}` },
    { name: 'knowledge-passages', path: `/knowledge/documents/${id}`, act: tab('Passages') },
    {
      name: 'knowledge-compare',
      path: `/knowledge/documents/${id}`,
      async act(page) {
        await tab('Versions')(page);
        await page.getByText('Version 2', { exact: true }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    { name: 'knowledge-help-center', path: '/knowledge/help-center/settings' },
    {
      name: 'knowledge-questions',
      path: '/knowledge/questions/all',
      async act(page) {
        await page.getByRole('button', { name: 'Evaluate' }).click();
        await page.getByRole('table').waitFor();
      },
    },
    {
      name: 'knowledge-translations',
      path: `/knowledge/documents/${id}`,
      async act(page) {
        await tab('Translations')(page);
        await page.getByRole('button', { name: 'Translate to Spanish' }).waitFor();
      },
    },
    { name: 'knowledge-meaning', path: '/knowledge/meaning/settings' },
    { name: 'knowledge-translate', path: `/knowledge/edit/${translation}` },
    { name: 'knowledge-collections', path: '/knowledge/help-center/collections' },
    { name: 'knowledge-edit', path: `/knowledge/edit/${id}` },
  ];
}
