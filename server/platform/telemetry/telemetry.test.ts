/** One message is one trace, from the request to the model, the channel's provider and the webhook. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { type ModelServer, startOpenAiServer } from '../../../test/support/model-servers.ts';
import {
  type CollectedSpan,
  printedTrace,
  startCollector,
  treeOf,
} from '../../../test/support/otlp-receiver.ts';
import {
  type ConnectedChannel,
  startConnectedChannel,
} from '../../../test/support/providers/connected-channel.ts';
import { startTelegramServer, type TelegramServer } from '../../../test/support/providers/telegram-server.ts';
import { hooksOf, type Inbox, startInbox } from '../../../test/support/webhooks.ts';
import { readConfig } from '../../config.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';

let collector: Awaited<ReturnType<typeof startCollector>>;
let telemetry: Telemetry;
let model: ModelServer;
let bot: TelegramServer;
let inbox: Inbox;
let channel: ConnectedChannel;

const apiKey = 'sk-model-key-4711';
const chatId = 8_800_112_233;
const question = 'Where is parcel 99887766 of Grace?';

before(async () => {
  collector = await startCollector();
  const { telemetry: settings } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    TRUST_TRACEPARENT: 'true',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '50',
  });
  telemetry = (await startTelemetry(settings))!;
  [model, bot, inbox] = await Promise.all([
    startOpenAiServer({ apiKey }),
    startTelegramServer(),
    startInbox(),
  ]);
  const credentials = { botToken: bot.token };
  channel = await startConnectedChannel('chatbot', { kind: 'telegram', apiBase: bot.url, credentials });
  bot.serviceUrl = channel.files.base;
  await channel.change({ connector: { mode: 'webhook' } });
  await eventually(() => bot.calls('setWebhook').length === 1);
  await channel.stateIs('connected');
  const { call, context } = channel.service;
  telemetry.exportMetrics(context.metrics.registry);
  const [agent] = (await call('GET', '/agents')).body.items;
  const connected = { provider: 'openai-compatible', model: 'test-model', baseUrl: model.baseUrl, apiKey };
  assert.equal((await call('PATCH', `/agents/${agent.id}`, { body: connected })).status, 200);
  await hooksOf(channel.service).create(inbox.url(), { events: ['crm_record_created'] });
});
after(async () => {
  await channel?.close();
  await telemetry?.stop();
  await Promise.all([model?.close(), bot?.close(), inbox?.close(), collector?.close()]);
});

const traceIdOf = (header: unknown) => String(header).split('-')[1];

/** `PRINT_TRACE=1`: as it is in docs/observability.md. */
const print = (spans: readonly CollectedSpan[]) => {
  if (process.env.PRINT_TRACE) console.log(printedTrace(spans));
};

describe('a trace', () => {
  it('of a message in the widget goes on from its caller to the model and the webhook', async () => {
    const { call } = channel.service;
    const web = (await call('GET', '/channels')).body.items.find(
      (one: { type: string }) => one.type === 'web',
    );
    const started = await call('POST', '/widget/sessions', { token: null, body: { channel: web.id } });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const sent = await call('POST', '/widget/messages', {
      token: started.body.token,
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      body: { clientId: 'a-client-id-of-the-widget', content: question },
    });
    assert.equal(sent.status, 202, sent.text);
    const names = ['POST /widget/messages', 'job ai-reply', 'chat test-model', 'deliver webhook', 'POST'];
    const spans = await collector.trace(traceId, names);
    await eventually(() => inbox.received.length > 0);
    assert.equal(traceIdOf(inbox.received[0]!.headers.traceparent), traceId);
    assert.equal(traceIdOf(model.requests[0]!.headers.traceparent), traceId);
    const [request] = spans;
    assert.deepEqual([request!.name, request!.parentSpanId], ['POST /widget/messages', 'b7ad6b7169203331']);
    assert.equal(request!.attributes['http.response.status_code'], 202);
    const job = spans.find(({ name }) => name === 'job ai-reply')!;
    const chat = spans.find(({ name }) => name === 'chat test-model')!;
    assert.deepEqual([job.parentSpanId, chat.parentSpanId], [request!.spanId, job.spanId]);
    const delivery = spans.find(({ name }) => name === 'deliver webhook')!;
    assert.equal(delivery.parentSpanId, request!.spanId);
    assert.equal(delivery.attributes['talkboard.delivery.status'], 'delivered');
    print(spans);
  });

  it("of a customer's message goes through the model to the channel's provider", async () => {
    const before = model.requests.length;
    bot.customerWrites(question, { chatId });
    await eventually(() => bot.sent(chatId).length > 0);
    await eventually(() => model.requests.length > before);
    const traceId = traceIdOf(model.requests.at(-1)!.headers.traceparent)!;
    const names = ['POST /connect/:channelId', 'receive message', 'job ai-reply', 'send message'];
    const spans = await collector.trace(traceId, [...names, 'telegram send']).catch((error) => {
      throw new Error(`${error}:\n${treeOf(collector.spans.filter((span) => span.traceId === traceId))}`);
    });
    const parentOf = (name: string) => {
      const { parentSpanId } = spans.find((span) => span.name === name)!;
      return spans.find(({ spanId }) => spanId === parentSpanId)?.name;
    };
    assert.equal(parentOf('receive message'), 'POST /connect/:channelId');
    assert.equal(parentOf('job ai-reply'), 'receive message');
    assert.equal(parentOf('chat test-model'), 'job ai-reply');
    assert.equal(parentOf('send message'), 'job ai-reply');
    assert.equal(parentOf('telegram send'), 'send message');
    print(spans);
  });

  it('of two messages at the same time are two', async () => {
    const { call } = channel.service;
    const ids = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32), '4'.repeat(32)];
    // The second message of each goes into a batch with the others.
    for (const round of ['first', 'second']) {
      const answers = await Promise.all(
        ids.map((id) =>
          call('POST', '/messages', {
            headers: { traceparent: `00-${id}-b7ad6b7169203331-01` },
            body: { fromChannelIdentifier: 'api', sessionId: `at-once-${id}`, content: round },
          }),
        ),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [202, 202, 202, 202],
      );
      for (const id of ids) {
        const count = round === 'first' ? 1 : 2;
        await eventually(() => {
          const chats = collector.spans.filter(
            ({ traceId, name }) => traceId === id && name === 'chat test-model',
          );
          return chats.length === count;
        });
      }
    }
  });

  it('begins anew where the header cannot be read', async () => {
    for (const [index, traceparent] of ['nonsense', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`].entries()) {
      const answer = await channel.service.call('GET', '/labels', { headers: { traceparent } });
      assert.equal(answer.status, 200);
      await eventually(
        () => collector.spans.filter(({ name }) => name === 'GET /labels').length === index + 1,
      );
    }
    const [one, other] = collector.spans.filter(({ name }) => name === 'GET /labels');
    assert.match(one!.traceId, /^(?!0+$)[0-9a-f]{32}$/);
    assert.notEqual(one!.traceId, other!.traceId);
  });

  it('has no text of the customer, no key and no token, and names the service', async () => {
    const all = collector.text();
    const { token } = channel.service;
    for (const secret of ['99887766', 'Grace', apiKey, bot.token, token, String(chatId)])
      assert.ok(!all.includes(secret), secret);
    const [resource] = collector.resources;
    assert.equal(resource!['service.name'], 'talkboard');
    assert.equal(resource!['deployment.environment.name'], 'test');
    assert.equal(collector.headers[0]!['x-collector-key'], 'abc');
  });
});

describe('metrics of OpenTelemetry', () => {
  it('are those of /metrics', async () => {
    await eventually(() => collector.metrics.has('talkboard_http_request_duration_seconds'));
    const text = (await channel.service.call('GET', '/metrics')).text;
    const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!);
    await eventually(() => names.every((name) => collector.metrics.has(name)));
    const { histogram } = collector.metrics.get('talkboard_http_request_duration_seconds');
    for (const { count, bucketCounts, explicitBounds } of histogram.dataPoints) {
      assert.equal(bucketCounts.length, explicitBounds.length + 1);
      assert.equal(
        bucketCounts.reduce((sum: number, one: number | string) => sum + Number(one), 0),
        Number(count),
      );
    }
    assert.equal(collector.metrics.get('talkboard_jobs_finished_total').sum.isMonotonic, true);
  });
});
