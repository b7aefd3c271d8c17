/** The pages of rules, business hours and service levels, on the demo's rules and a rule with branches. */
import type { Page } from 'playwright-core';
import type { Json, TestService } from './service.ts';
import type { View } from './views.ts';

export interface AutomationPlaces {
  /** A rule of the demo, which has runs. */
  rule: string;
  branched: string;
  channel: string;
}

export async function fillAutomation(service: TestService): Promise<AutomationPlaces> {
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, path, { ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const hours = await call('POST', '/business-hours', {
    name: 'Support',
    timeZone: 'Europe/Madrid',
    week: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '18:00' })),
    closedDates: ['2027-12-25'],
    names: { '2027-12-25': 'Christmas' },
  });
  const [channel] = (await call('GET', '/channels')).items;
  await call('PATCH', `/channels/${channel.id}`, { hoursId: hours.id });
  const branched = await call('POST', '/automations', {
    name: 'Answer refunds outside of opening hours',
    trigger: { on: 'customer_message' },
    conditions: { and: [{ withinHours: hours.id, is: false }] },
    steps: [
      {
        id: 'refund',
        type: 'if',
        condition: { and: [{ field: 'message.content', op: 'contains', value: 'refund' }] },
        // biome-ignore lint/suspicious/noThenProperty: The name in the contract; no step is awaited.
        then: [
          {
            id: 'say',
            type: 'reply',
            text: 'Hello {{first name}}, we look at your refund tomorrow morning.',
          },
          { id: 'open', type: 'wait', until: 'next_opening', hoursId: hours.id, cancelOn: ['team_reply'] },
        ],
        else: [{ id: 'note', type: 'note', text: 'Came in while we were closed.' }],
      },
    ],
  });
  const rules: Json[] = (await call('GET', '/automations')).items;
  const rule = rules.find(({ stats }) => stats.runs30d > 0) ?? branched;
  return { rule: rule.id, branched: branched.id, channel: channel.id };
}

export function automationViews({ rule, branched, channel }: AutomationPlaces): View[] {
  const tab = (name: string) => (page: Page) => page.getByRole('tab', { name, exact: true }).click();
  const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
  const editor = (id: string) => `/settings/automation/${id}`;
  return [
    { name: 'automation', path: '/settings/automation' },
    { name: 'automation-rule', path: editor(rule) },
    {
      name: 'automation-run',
      path: editor(rule),
      async act(page) {
        await tab('Runs')(page);
        await page.getByRole('list', { name: 'Runs' }).getByRole('button').first().click();
        await page.getByRole('list', { name: 'Steps' }).waitFor();
      },
    },
    { name: 'automation-verdicts', path: editor(rule), act: tab('Why it ran or not') },
    {
      name: 'automation-branches',
      path: editor(branched),
      async act(page) {
        await page.getByRole('button', { name: /^Wait until the next opening/ }).click();
        await page.getByRole('button', { name: /^Reply “Hello/ }).click();
      },
    },
    {
      name: 'automation-try',
      path: editor(branched),
      async act(page) {
        await press(/^Try with/)(page);
        await page.getByRole('button', { name: 'Check', exact: true }).click();
        await page.getByText(/^It would have run/).waitFor();
      },
    },
    {
      name: 'automation-problem',
      path: editor('new'),
      async act(page) {
        await page.getByLabel('Name', { exact: true }).fill('Not complete');
        await page.getByRole('button', { name: 'Add condition' }).first().click();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText(/^Not saved/).waitFor();
      },
    },
    {
      name: 'inbox-verdicts',
      path: '/inbox/demo-0',
      async act(page) {
        await page.getByRole('button', { name: 'More actions' }).last().click();
        await page.getByRole('menuitem', { name: 'Why did a rule run?' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    { name: 'settings-hours', path: '/settings/business-hours' },
    { name: 'settings-hours-edit', path: '/settings/business-hours', act: press(/^Support/) },
    { name: 'settings-service-levels', path: '/settings/service-levels' },
    {
      name: 'settings-service-level-new',
      path: '/settings/service-levels',
      act: press('New service level'),
    },
    { name: 'settings-channel-hours', path: `/settings/channels/${channel}` },
    { name: 'settings-team-new', path: '/settings/teams', act: press('New team') },
    { name: 'reports-service-levels', path: '/reports?about=service-levels' },
    {
      name: 'reports-service-levels-conversations',
      path: '/reports?about=service-levels',
      act: press(/Breached: show/),
    },
    {
      name: 'reports-service-levels-empty',
      path: '/reports?about=service-levels&period=custom&from=2020-01-01&to=2020-01-31',
    },
  ];
}
