/**
 * Builds valid requests from the OpenAPI document alone: values by their schema, ids by their name. `kanbanId`,
 * `kanbanIds` and the `{id}` of `/kanbans/{id}` all mean what `POST /kanbans` has created, so a new feature is
 * covered if its names follow the same pattern.
 */

import assert from 'node:assert/strict';
import { mapKey, type Operation, type Place, type Schema, schemaAt, variantsOf } from './api-operations.ts';
import { png } from './sample-files.ts';
import { type Answer, type Json, password, type TestService } from './service.ts';

/** By the name of what they identify: `kanbanId`, `recordId`, … */
export type KnownIds = Map<string, string>;

export interface Sampler {
  ids: KnownIds;
  /** Path and query with required parameters, and with one parameter as given: encoded, once or more often. */
  address(operation: Operation, given?: { name: string; raw: string[] }): string;
  /** What the body requires, plus `place` if given. */
  body(operation: Operation, place?: Place): Json;
}

export const connectedChannelId = 'connectedChannelId';
const mainContactId = 'mainContactId';
const filesSourceId = 'filesSourceId';
const imageFileKey = 'image-fileKey';
const scheduledMessageId = 'scheduledMessageId';
const testRunId = 'testRunId';
export const automationRunId = 'automationRunId';
/** A mail: see makeSampleMail. Without one, that of a note. */
export const customerMessageId = 'customerMessageId';

/** A well-formed id that belongs to nothing. */
export const absentId = '01890000-0000-7000-8000-000000000000';

/** Parameters of paths that are no ids. */
const numbers: Readonly<Record<string, string>> = { version: '1' };

let counter = 0;

export function createSampler(ids: KnownIds = new Map()): Sampler {
  const sample = (schema: Schema, name: string): Json => {
    const id = idFor(ids, name);
    const variant = variantsOf(schema).find((one) => one.type !== undefined || one.enum) ?? schema;
    if (schema.examples) return structuredClone(schema.examples[0]);
    if (variant.const !== undefined) return variant.const;
    if (variant.enum) return variant.enum[0];
    switch ([variant.type].flat()[0]) {
      case 'string':
        return id ?? text(variant, name);
      case 'integer':
      case 'number':
        return number(variant, name);
      case 'boolean':
        return false;
      case 'array': {
        const items = variant.items ?? {};
        const wanted = Math.max(variant.minItems ?? 0, 1);
        return Array.from({ length: wanted }, () => sample(items, name));
      }
      case 'object':
        return Object.fromEntries(
          Object.keys(variant.properties ?? {})
            // Properties with an example belong into a sample, even if they are optional.
            .filter((key) => variant.required?.includes(key) || variant.properties?.[key]?.examples)
            .map((key) => [key, sample(variant.properties?.[key] ?? {}, key)]),
        );
      default:
        return null;
    }
  };
  return {
    ids,
    address({ path, queryParameters }, given) {
      const filled = path.replace(
        /(?:([^/{}]+)\/)?\{(\w+)\}/g,
        (_, segment: string | undefined, name: string) => {
          const id = idFor(ids, idNameIn(segment, name, path)) ?? numbers[name] ?? absentId;
          return `${segment === undefined ? '' : `${segment}/`}${encodeURIComponent(id)}`;
        },
      );
      const query = queryParameters
        .filter(({ name, required }) => required && name !== given?.name)
        .map(({ name, schema }) => `${name}=${encodeURIComponent(sample(schema, name))}`);
      query.push(...(given?.raw ?? []).map((raw) => `${given!.name}=${raw}`));
      return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
    },
    body(operation, place = []) {
      if (!operation.body) return undefined;
      const whole = sample(operation.body, '');
      let current = whole;
      for (const [depth, step] of place.entries()) {
        const key = keyOf(ids, place, depth);
        const schema = schemaAt(operation.body, place.slice(0, depth + 1));
        const name = typeof step === 'number' ? String(place[depth - 1] ?? '') : step;
        current[key] ??= sample(schema, name);
        // One value or a list of them: a place inside of the list needs a list.
        if (typeof place[depth + 1] === 'number') current[key] = [current[key]].flat();
        current = current[key];
      }
      return whole;
    },
  };
}

/** The real key at this depth of a place: a map's key is an id of what the map is about. */
export function keyOf(ids: KnownIds, place: Place, depth: number): string | number {
  const step = place[depth]!;
  if (step !== mapKey) return step;
  const about = String(place[depth - 1] ?? '');
  const kind = [...ids.keys()].find((name) => about.toLowerCase().includes(name.slice(0, -2).toLowerCase()));
  return (kind && ids.get(kind)) ?? 'key';
}

/** `assignedUserIds` is about users: the longest known name that it ends with. */
export function idFor(ids: KnownIds, name: string): string | undefined {
  const singular = name.replace(/Ids$/, 'Id');
  if (!/(Id|fileKey)$|^id$/.test(singular)) return undefined;
  const known = [...ids.keys()]
    .filter((kind) => singular.toLowerCase().endsWith(kind.toLowerCase()))
    .sort((a, b) => b.length - a.length)[0];
  return known && ids.get(known);
}

/** The value of `{name}` in the path. */
export function idInPath(ids: KnownIds, path: string, name: string): string | undefined {
  const segment = new RegExp(`([^/{}]+)/\\{${name}\\}`).exec(path)?.[1];
  return idFor(ids, idNameIn(segment, name, path));
}

/**
 * Channels are managed by `id`, and a `channelId` names that of a session: only some can have a connector. A contact's
 * `contactId` names another contact. Only some sources of knowledge take files.
 */
function idNameIn(segment: string | undefined, name: string, path: string): string {
  if (/\/sources\/\{id\}\/(upload|files)$/.test(path)) return filesSourceId;
  if (`${segment}/${name}` === 'channels/id' || segment === 'connect') return connectedChannelId;
  if (`${segment}/${name}` === 'contacts/id') return mainContactId;
  if (`${segment}/${name}` === 'images/fileKey') return imageFileKey;
  if (`${segment}/${name}` === 'scheduled-messages/id') return scheduledMessageId;
  if (`${segment}/${name}` === 'messages/messageId') return customerMessageId;
  if (segment === 'test-runs') return testRunId;
  if (segment === 'automation-runs') return automationRunId;
  return name === 'id' && segment ? idNameOf(segment) : name;
}

/** `webhook-deliveries` contains what a `deliveryId` identifies, `crm/field-groups` what a `groupId` does. */
function idNameOf(segment: string): string {
  // Saved views are another thing.
  if (segment === 'inbox-views') return 'inboxViewId';
  const word = segment.split('-').at(-1)!;
  return `${word.replace(/ies$/, 'y').replace(/s$/, '')}Id`;
}

/** Hundreds of everything, without an id in its answer: as much work as hundreds of requests. */
const fillsDemo = 'POST /demo';

/** Creates one of everything that can be created, and collects the ids from the responses. */
export async function createOneOfEach(
  service: Pick<TestService, 'call'>,
  token: string,
  operations: Operation[],
): Promise<KnownIds> {
  const sampler = createSampler();
  const creates = operations.filter(
    ({ method, isPublic, name }) => method === 'POST' && !isPublic && name !== fillsDemo,
  );
  const done = new Set<Operation>();
  // What needs the id of something else succeeds in a later round.
  for (let before = -1; before < done.size; ) {
    before = done.size;
    for (const operation of creates.filter((one) => !done.has(one))) {
      const { file } = operation;
      const answer = await service.call('POST', sampler.address(operation), {
        token,
        ...(file
          ? { body: file.example, headers: { 'content-type': file.type } }
          : { body: sampler.body(operation) }),
      });
      if (answer.status >= 300) continue;
      done.add(operation);
      if (answer.body?.uploadUrl) await putFile(service, sampler.body(operation), answer.body.uploadUrl);
      learnIds(sampler.ids, operation.path.split('/').at(-1)!, answer);
    }
  }
  await learnContact(service, token, sampler.ids);
  await learnConnector(service, token, sampler.ids);
  const source = { name: 'Files', kind: 'files' };
  const { body } = await service.call('POST', '/knowledge/sources', { token, body: source });
  if (body.id) sampler.ids.set(filesSourceId, body.id);
  // Publishing has used up the first one.
  await service.call('PUT', `/agents/${sampler.ids.get('agentId')}/draft`, { token, body: {} });
  await learnTestRun(service, token, sampler.ids);
  await learnRun(service, token, sampler.ids);
  await learnImage(service, token, sampler.ids);
  // Addresses identify a session together with its channel.
  const sessionId = sampler.ids.get('sessionId');
  if (sessionId) {
    const { body } = await service.call('GET', `/sessions/${sessionId}`, { token });
    sampler.ids.set('channelId', body.channelId);
    await learnScheduled(service, token, sampler.ids, { channelId: body.channelId, sessionId });
    // What needs both is created now.
    for (const operation of creates.filter((one) => !done.has(one) && one.path.includes('{channelId}'))) {
      const answer = await service.call('POST', sampler.address(operation), {
        token,
        body: sampler.body(operation),
      });
      if (answer.status < 300) learnIds(sampler.ids, operation.path.split('/').at(-1)!, answer);
    }
  }
  return sampler.ids;
}

/** Of a kind that has everything that a connector can have. Its provider cannot be reached. */
export async function connectChannel(
  service: Pick<TestService, 'call'>,
  token: string,
  channelId: string,
): Promise<void> {
  const connector = {
    kind: 'evolution',
    apiBase: 'https://gateway.example.com',
    instanceName: 'sample',
    credentials: { apiKey: 'sample' },
  };
  const body = { enabled: true, connector };
  const { status, text } = await service.call('PATCH', `/channels/${channelId}`, { token, body });
  assert.equal(status, 200, text);
}

/** A channel with a connector, and a message in its log. */
async function learnConnector(
  service: Pick<TestService, 'call'>,
  token: string,
  ids: KnownIds,
): Promise<void> {
  const agents = await service.call('GET', '/agents', { token });
  const name = `connected ${++counter}`;
  const channel = { name, identifier: name, type: 'chatapp_no', defaultAgentId: agents.body.items[0].id };
  const { body } = await service.call('POST', '/channels', { token, body: channel });
  await connectChannel(service, token, body.id);
  const start = { externalUserId: '+442079460958', content: 'Hello' };
  await service.call('POST', `/channels/${body.id}/sessions`, { token, body: start });
  const log = await service.call('GET', `/channels/${body.id}/connector/log`, { token });
  ids.set(connectedChannelId, body.id);
  ids.set('entryId', log.body.items[0].id);
}

/** Of a website that nothing reads: these services have no worker. */
async function learnRun(service: Pick<TestService, 'call'>, token: string, ids: KnownIds): Promise<void> {
  const website = { name: 'Site', kind: 'website', settings: { startUrls: ['https://8.8.8.8/'] } };
  const source = await service.call('POST', '/knowledge/sources', { token, body: website });
  const { body } = await service.call('POST', `/knowledge/sources/${source.body.id}/sync`, { token });
  if (body?.runId) ids.set('runId', body.runId);
}

/** Of an agent, cancelled: these services have no worker that would end it, and the next one waits for that. */
async function learnTestRun(service: Pick<TestService, 'call'>, token: string, ids: KnownIds): Promise<void> {
  const path = `/agents/${ids.get('agentId')}/test-runs`;
  const { status, text, body } = await service.call('POST', path, { token, body: { version: 'draft' } });
  assert.equal(status, 202, text);
  await service.call('POST', `${path}/${body.id}/cancel`, { token });
  ids.set(testRunId, body.id);
}

/** An article with an image. */
async function learnImage(service: Pick<TestService, 'call'>, token: string, ids: KnownIds): Promise<void> {
  const bytes = png(4, 4);
  const file = { fileName: 'sample.png', contentType: 'image/png', size: bytes.length };
  const announced = await service.call('POST', '/messages/upload', { token, body: file });
  assert.equal(announced.status, 200, announced.text);
  const { fileKey, uploadUrl } = announced.body;
  const { pathname, search } = new URL(uploadUrl);
  const headers = { 'content-type': file.contentType };
  await service.call('PUT', pathname + search, { token: null, headers, body: bytes });
  const sources = await service.call('GET', '/knowledge/sources', { token });
  const sourceId = sources.body.items.find(({ kind }: Json) => kind === 'articles').id;
  const article = { sourceId, title: 'With an image', text: `![A sample](file:${fileKey})` };
  const written = await service.call('POST', '/knowledge/documents', { token, body: article });
  assert.equal(written.status, 201, written.text);
  ids.set(imageFileKey, fileKey);
}

/** Due in a day: it is not sent while a test runs. */
async function learnScheduled(
  service: Pick<TestService, 'call'>,
  token: string,
  ids: KnownIds,
  { channelId, sessionId }: { channelId: string; sessionId: string },
): Promise<void> {
  const body = { content: 'Later', sendAt: Date.now() + 24 * 3_600_000 };
  const path = `/channels/${channelId}/sessions/${encodeURIComponent(sessionId)}/agent-messages`;
  const answer = await service.call('POST', path, { token, body });
  assert.equal(answer.status, 201, answer.text);
  ids.set(scheduledMessageId, answer.body.scheduledMessage.id);
}

/** Contacts are created by messages of customers; a merge can be undone. */
async function learnContact(service: Pick<TestService, 'call'>, token: string, ids: KnownIds): Promise<void> {
  const contactOf = async (externalUserId: string) => {
    const message = { content: 'Hello', fromChannelIdentifier: 'api', externalUserId };
    const sent = await service.call('POST', '/messages', { token, body: message });
    return (await service.call('GET', `/sessions/${sent.body.sessionId}`, { token })).body.contactId;
  };
  ids.set(mainContactId, await contactOf('+351 910 000 096'));
  ids.set('contactId', await contactOf('+351 910 000 097'));
  const erased = await contactOf('+351 910 000 095');
  const erasure = await service.call('DELETE', `/contacts/${erased}`, { token });
  ids.set('erasureId', erasure.body.erasureId);
  const id = await contactOf('+351 910 000 098');
  const merge = { contactId: await contactOf('+351 910 000 099') };
  const { body } = await service.call('POST', `/contacts/${id}/merge`, { token, body: merge });
  ids.set('mergeId', body.mergeId);
}

/** A file that was announced by its sample: as many letters as declared. */
async function putFile(
  service: Pick<TestService, 'call'>,
  { contentType, size }: Json,
  uploadUrl: string,
): Promise<void> {
  const { pathname, search } = new URL(uploadUrl);
  await service.call('PUT', pathname + search, {
    token: null,
    headers: { 'content-type': contentType },
    body: 'x'.repeat(size),
  });
}

const isOurs = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function learnIds(ids: KnownIds, segment: string, { body }: Answer): void {
  const learn = (value: Json, about: string): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, item] of Object.entries(value as Record<string, Json>)) {
      const name = key === 'id' ? about : key;
      // Only ids generated by the service: a provider's id of a message is the caller's own text.
      if (typeof item === 'string' && /(Id|fileKey)$/.test(name) && isOurs.test(item) && !ids.has(name))
        ids.set(name, item);
      else learn(item, `${key}Id`);
    }
  };
  learn(body, idNameOf(segment));
}

function text(schema: Schema, name: string): string {
  const unique = `sample ${++counter}`;
  if (/e-?mail/i.test(name)) return `sample-${counter}@example.com`;
  if (/password/i.test(name)) return password;
  if (/url$/i.test(name)) return 'https://hooks.example.com/talkboard';
  if (schema.pattern) {
    const form = new RegExp(schema.pattern, 'u');
    return (
      ['#1a2b3c', `s-${counter}`, `sample_${counter}`, 'x', '1'].find((candidate) => form.test(candidate)) ??
      unique
    );
  }
  return unique.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength);
}

function number(schema: Schema, name: string): number {
  if (/(At|Until)$/.test(name)) return Date.now() + 3_600_000;
  return Math.min(Math.max(schema.minimum ?? 1, 1), schema.maximum ?? 1);
}
