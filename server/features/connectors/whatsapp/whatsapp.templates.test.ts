import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { closeProviderLinks, providerLink } from '../../../../test/support/providers/provider-link.ts';
import { failureOf, testPart } from '../../../../test/support/providers/provider-tests.ts';
import { numberIds } from '../../../../test/support/providers/whatsapp-messages.ts';
import {
  startWhatsappServer,
  type WhatsappServer,
} from '../../../../test/support/providers/whatsapp-server.ts';
import type { Link } from '../connectors.provider.ts';
import { parameterProblem } from './whatsapp.templates.ts';
import { whatsappCloud } from './whatsapp.ts';

let server: WhatsappServer;
let link: Link;

before(async () => {
  server = await startWhatsappServer();
  const { accessToken, appSecret, verifyToken, graphVersion, url: apiBase } = server;
  link = providerLink({
    settings: { ...numberIds, graphVersion, apiBase },
    credentials: { accessToken, appSecret, verifyToken },
  });
});
after(async () => {
  await server.close();
  await closeProviderLinks();
});

const about = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' };
const text = (value: string, parameter_name?: string) => ({
  type: 'text',
  ...(parameter_name && { parameter_name }),
  text: value,
});
const button = (sub_type: string, index: string, parameter: object) => ({
  type: 'button',
  sub_type,
  index,
  parameters: [parameter],
});

/** The components at Meta, the text in our list, and what is sent for the parameters a, b, c … */
const supported: Record<string, { components: object[]; shown: string; sent: object[] }> = {
  none: { components: [{ type: 'BODY', text: 'Hello' }], shown: 'Hello', sent: [] },
  numbered: {
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Shop' },
      { type: 'BODY', text: '{{2}}, {{ 1 }} and {{2}}' },
      { type: 'FOOTER', text: 'Bye' },
    ],
    shown: '{{2}}, {{1}} and {{2}}',
    sent: [{ type: 'body', parameters: [text('a'), text('b')] }],
  },
  named: {
    components: [{ type: 'body', text: 'Hi {{first_name}}, order {{order_id}}, {{first_name}}' }],
    shown: 'Hi {{1}}, order {{2}}, {{1}}',
    sent: [{ type: 'body', parameters: [text('a', 'first_name'), text('b', 'order_id')] }],
  },
  header: {
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
      { type: 'BODY', text: 'Hi {{1}}' },
    ],
    shown: 'Order {{1}}\nHi {{2}}',
    sent: [
      { type: 'header', parameters: [text('a')] },
      { type: 'body', parameters: [text('b')] },
    ],
  },
  buttons: {
    components: [
      { type: 'BODY', text: 'Hi {{1}}' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Stop' },
          { type: 'URL', text: 'Track', url: 'https://shop.example/{{1}}' },
          { type: 'URL', text: 'Shop', url: 'https://shop.example/' },
          { type: 'COPY_CODE', text: 'Copy code', example: ['X'] },
        ],
      },
    ],
    shown: 'Hi {{1}}\nTrack: https://shop.example/{{2}}\nCopy code: {{3}}',
    sent: [
      { type: 'body', parameters: [text('a')] },
      button('url', '1', text('b')),
      button('copy_code', '3', { type: 'coupon_code', coupon_code: 'c' }),
    ],
  },
};

/** What cannot be filled in with texts, and why. */
const unsupported: Record<string, { component: object; reason: string }> = {
  picture: {
    component: { type: 'HEADER', format: 'IMAGE' },
    reason: 'its header needs more than text (image)',
  },
  carousel: {
    component: { type: 'CAROUSEL', cards: [] },
    reason: 'it has a part that is not supported (carousel)',
  },
  products: {
    component: { type: 'BUTTONS', buttons: [{ type: 'MPM', text: 'View items' }] },
    reason: 'it has a button that is not supported (mpm)',
  },
};

describe('templates of WhatsApp', () => {
  it('are read from every page, with all parameters as one list', async () => {
    server.templates = [
      ...Object.entries(supported).map(([name, { components }]) => ({ name, ...about, components })),
      ...Object.entries(unsupported).map(([name, { component }]) => ({
        name,
        ...about,
        components: [component, { type: 'BODY', text: 'Look' }],
      })),
    ];
    const templates = await whatsappCloud.templates!(link);
    for (const [name, { shown }] of Object.entries(supported)) {
      const found = templates.find((one) => one.name === name)!;
      const count = new Set(shown.match(/\{\{\d\}\}/g)).size;
      assert.deepEqual(
        [found.text, found.parameterCount, found.unsupported],
        [shown, count, undefined],
        name,
      );
    }
    for (const [name, { reason }] of Object.entries(unsupported)) {
      assert.equal(templates.find((one) => one.name === name)!.unsupported, reason);
    }
    assert.deepEqual(templates[0], { name: 'none', ...about, text: 'Hello', parameterCount: 0 });
    const { businessAccountId: _, ...alone } = link.settings;
    const failed = await failureOf(whatsappCloud.templates!({ ...link, settings: alone }));
    assert.match(failed.message, /business account ID/);
  });

  it('are sent with each parameter in its place', async () => {
    const templates = await whatsappCloud.templates!(link);
    for (const [name, { sent }] of Object.entries(supported)) {
      const { parameterCount, placements } = templates.find((one) => one.name === name)!;
      const parameters = ['a', 'b', 'c'].slice(0, parameterCount);
      const template = { name, language: 'en_US', parameters, placements };
      await whatsappCloud.send(link, testPart('16505551234', { text: 'Read by the customer', template }));
      const { body } = server.sent().at(-1)!;
      assert.deepEqual(body.template, { name, language: { code: 'en_US' }, components: sent }, name);
    }
    const send = (template: { name: string; parameters: string[]; placements?: [] }) =>
      failureOf(
        whatsappCloud.send(link, testPart('16505551234', { template: { language: 'en_US', ...template } })),
      );
    const wrong = [
      { name: 'unknown', parameters: [] },
      { name: 'numbered', parameters: ['a'] },
      { name: 'named', parameters: ['a'], placements: [] as [] },
    ];
    for (const one of wrong) assert.equal((await send(one)).errorClass, 'final', one.name);
  });

  it('that the token may not read leave the connector as it is; a token that is rejected does not', async () => {
    const classOf = async (code: number) => {
      server.failNext({ status: 403, code });
      return (await failureOf(whatsappCloud.templates!(link))).errorClass;
    };
    for (const code of [3, 10, 200, 131005, 131031]) assert.equal(await classOf(code), 'final', String(code));
    for (const code of [0, 190]) assert.equal(await classOf(code), 'credentials', String(code));
    const unknown = { ...link, settings: { ...link.settings, businessAccountId: '404' } };
    const failed = await failureOf(whatsappCloud.templates!(unknown));
    assert.equal(failed.errorClass, 'final');
    assert.match(failed.message, /whatsapp_business_management/);
  });

  it('take no value that Meta rejects', () => {
    for (const value of ['two\nlines', 'a\ttab', 'five     spaces'])
      assert.ok(parameterProblem(value), value);
    for (const value of ['one line', 'four    spaces']) assert.equal(parameterProblem(value), null, value);
  });
});
