/** Settings of a workspace after some weeks, and every view of them: for screenshots and for visual tests. */
import type { Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import type { Json, TestService } from './service.ts';
import { hooksOf, startInbox } from './webhooks.ts';

export interface SettingsPlaces {
  webhook: string;
  brokenWebhook: string;
  channel: string;
  agent: string;
  account: string;
  close(): Promise<void>;
}

const hour = 3_600_000;

export async function fillSettings(service: TestService): Promise<SettingsPlaces> {
  const { call, admin } = service;
  const as = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await call(method, path, { token: admin.jwt, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const receiver = await startInbox((received, response) => {
    if (received.path === '/broken') response.writeHead(500).end('{"error":"database is locked"}');
    else response.end('{"received":true}');
  });
  const people = [
    ['Marta Silva', 'marta@harbour.example', 'operator'],
    ['Jonas Weber', 'jonas@harbour.example', 'admin'],
    ['Priya Raman', 'priya@harbour.example', 'operator'],
  ];
  for (const [name, email, role] of people) {
    await as('POST', '/users', { name, email, role, password: 'a long enough one' });
  }
  const now = Date.now();
  await as('POST', '/api-tokens', { name: 'Shop importer', scopes: ['crm:read', 'crm:write'] });
  await as('POST', '/api-tokens', {
    name: 'Chat bridge',
    scopes: ['messages:read', 'messages:write'],
    expiresAt: now + 90 * 24 * hour,
  });
  const hooks = hooksOf(service);
  const events = ['crm_record_created', 'crm_field_update', 'crm_record_deleted'];
  const webhook = await hooks.create(receiver.url('/orders'), { description: 'Order system', events });
  const broken = await hooks.create(receiver.url('/broken'), { description: 'Data warehouse', events });
  await hooks.create(receiver.url('/notes'), { description: 'Notes to the wiki', events: ['note_created'] });
  const record = await hooks.createRecord({ title: 'Café Lisboa' });
  await call('PUT', `/crm/records/${record.recordId}`, { body: { title: 'Café Lisboa, Porto' } });
  await as('POST', `/webhooks/${webhook.id}/test`);
  await eventually(async () => (await hooks.deliveries(webhook.id, '&status=delivered')).length >= 3);
  await eventually(async () => (await hooks.deliveries(broken.id)).some((one) => one.attempts.length > 0));
  await as('PATCH', `/webhooks/${broken.id}`, { enabled: false });

  const blocked = [
    ['+55 11 90000-1111', 'Spam'],
    ['promo@deals.example', 'Newsletter without end'],
    ['+49 151 7654321', ''],
  ];
  for (const [contact, reason] of blocked) {
    await as('POST', `/blocked-contacts/${encodeURIComponent(contact!)}`, { reason });
  }
  for (let i = 0; i < 3; i++) {
    await call('POST', '/messages', {
      body: { content: 'WIN NOW', externalUserId: '5511900001111', fromChannelIdentifier: 'api' },
    });
  }
  await as('POST', '/teams', { name: 'Support' });
  await as('POST', '/labels', { name: 'Money back', color: 'orange', description: 'Refunds and vouchers.' });
  await as('POST', '/saved-replies', { name: 'Greeting', text: 'Hello! How can I help you?', shared: true });
  await as('POST', '/saved-replies', {
    name: 'Delivery times',
    text: 'We roast on Mondays and Thursdays; your order leaves the day after and arrives within two days.',
    shared: true,
  });
  await as('POST', '/macros', {
    name: 'Close with thanks',
    shared: true,
    steps: [{ type: 'reply', text: 'Thank you, {{first name}}!' }, { type: 'resolve' }],
  });
  await as('POST', '/saved-replies', { name: 'Out today', text: 'I am back tomorrow at nine.' });

  const agent = await as('POST', '/agents', {
    name: 'Barista',
    provider: 'offline',
    instructions:
      'You are the assistant of Harbour Roastery. Be warm and brief. Answer from the knowledge entries only, and hand over as soon as someone complains.',
    tools: ['find_record', 'set_field', 'hand_over'],
    knowledge: [
      { title: 'When do you roast?', text: 'We roast on Mondays and Thursdays.' },
      { title: 'How long does delivery take?', text: 'Two working days within the country, five abroad.' },
      { title: 'Can I return coffee?', text: 'Unopened bags within 30 days; we pay the way back.' },
    ],
  });
  await as('POST', `/agents/${agent.id}/test-cases`, {
    name: 'Delivery abroad',
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Good morning! How can I help you?' },
      { role: 'user', content: 'How long does delivery take to Spain?' },
    ],
    checks: [
      { kind: 'contains', text: 'five abroad' },
      { kind: 'language', language: 'en' },
      { kind: 'does_not_hand_over' },
    ],
  });
  const { items: agents } = await as('GET', '/agents');
  const assistant = agents.find((one: Json) => one.name === 'Assistant');
  const channel = await as('POST', '/channels', {
    name: 'Shop phone',
    identifier: '+351 21 000 0000',
    type: 'chatapp',
    defaultAgentId: agent.id,
    allowedAgentIds: [assistant.id],
    webhookUrl: receiver.url('/messages'),
  });
  const created = await as('POST', '/admin/accounts', {
    name: 'Night Market',
    adminEmail: `admin-${now}@market.example`,
    adminPassword: 'a long enough one',
  });
  return {
    webhook: webhook.id,
    brokenWebhook: broken.id,
    channel: channel.id,
    agent: agent.id,
    account: created.account.id,
    close: () => receiver.close(),
  };
}

export interface SettingsView {
  name: string;
  path: string;
  act?(page: Page): Promise<void>;
}

export function settingsViews(places: SettingsPlaces): SettingsView[] {
  const tab = (name: RegExp) => (page: Page) => page.getByRole('tab', { name }).click();
  const press = (name: string | RegExp) => (page: Page) =>
    page.getByRole('button', { name, exact: true }).click();
  const webhook = `/settings/webhooks/${places.webhook}`;
  const agent = `/settings/agents/${places.agent}`;
  return [
    { name: 'settings', path: '/settings' },
    { name: 'settings-profile', path: '/settings/profile' },
    { name: 'settings-notifications', path: '/settings/notifications' },
    { name: 'settings-channels', path: '/settings/channels' },
    { name: 'settings-channel', path: `/settings/channels/${places.channel}` },
    { name: 'settings-channel-connect', path: '/settings/channels/connect' },
    { name: 'settings-channel-telegram', path: '/settings/channels/connect', act: press(/^Telegram bot/) },
    { name: 'settings-agents', path: '/settings/agents' },
    { name: 'settings-agent', path: agent },
    { name: 'settings-agent-knowledge', path: agent, act: tab(/Knowledge/) },
    {
      name: 'settings-agent-try',
      path: agent,
      async act(page) {
        await tab(/Try it/)(page);
        await page.getByLabel('Message as a customer').fill('How long does delivery take?');
        await page.keyboard.press('Enter');
        await page.getByText('Two working days').waitFor();
      },
    },
    { name: 'settings-agent-versions', path: agent, act: tab(/Versions/) },
    // The last one of the page: its dialog stays open.
    {
      name: 'settings-agent-test',
      path: agent,
      async act(page) {
        await tab(/Tests/)(page);
        await page.getByRole('button', { name: /Delivery abroad/ }).click();
        await page.getByLabel('Message 3', { exact: true }).waitFor();
      },
    },
    { name: 'settings-tools', path: '/settings/tools' },
    { name: 'settings-tool-new', path: '/settings/tools', act: (page) => page.getByText('New tool').click() },
    { name: 'settings-copilot', path: '/settings/copilot' },
    { name: 'settings-saved-replies', path: '/settings/saved-replies' },
    { name: 'settings-macros', path: '/settings/macros' },
    { name: 'settings-blocked', path: '/settings/blocked-contacts' },
    { name: 'settings-workspace', path: '/settings/workspace' },
    { name: 'settings-users', path: '/settings/users' },
    { name: 'settings-user-new', path: '/settings/users', act: press('Add person') },
    { name: 'settings-teams', path: '/settings/teams' },
    { name: 'settings-labels', path: '/settings/labels' },
    {
      name: 'settings-audit',
      path: '/settings/audit-log',
      act: (page) => page.locator('summary').first().click(),
    },
    { name: 'settings-tokens', path: '/settings/api-tokens' },
    { name: 'settings-token-new', path: '/settings/api-tokens', act: press('New token') },
    { name: 'settings-webhooks', path: '/settings/webhooks' },
    { name: 'settings-webhook-new', path: '/settings/webhooks', act: press('New webhook') },
    { name: 'settings-webhook', path: webhook },
    { name: 'settings-webhook-disabled', path: `/settings/webhooks/${places.brokenWebhook}` },
    { name: 'settings-deliveries', path: webhook, act: tab(/Deliveries/) },
    {
      name: 'settings-delivery',
      path: webhook,
      async act(page) {
        await tab(/Deliveries/)(page);
        await page.getByRole('button', { name: /crm_field_update/ }).click();
        await page.getByRole('complementary').getByText('"event"').waitFor();
      },
    },
    { name: 'settings-accounts', path: '/settings/accounts' },
    { name: 'settings-account', path: `/settings/accounts/${places.account}` },
    { name: 'settings-missing', path: '/settings/nothing-here' },
  ];
}
