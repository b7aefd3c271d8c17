/** Searches of an account are answered by the node that owns it, and by any node while that one gives no answer. */
import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { startNodes, type TestNode, type TestNodes } from '../../../test/support/nodes.ts';
import { isFull } from '../../../test/support/sample.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { callPath, callType, maxCallBytes } from '../../platform/nodes/node-calls.ts';
import { createNodeSignatures, nodeHeader } from '../../platform/nodes/node-signature.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';

type Account = Awaited<ReturnType<TestService['createAccount']>>;

async function accountOf(nodes: TestNodes, owner: TestNode): Promise<Account> {
  for (;;) {
    const account = await nodes.service.createAccount();
    if (nodes.ownerOf(account.accountId) === owner) return account;
  }
}

async function create(node: TestNode, { token }: Account, title: string): Promise<string> {
  const { status, body, text } = await node.call('POST', '/crm/records', { token, body: { title } });
  assert.equal(status, 201, text);
  return body.recordId;
}

async function titlesOf(node: TestNode, { token }: Account, q: string): Promise<string[]> {
  const { status, body, text } = await node.call('GET', `/crm/search?q=${encodeURIComponent(q)}`, { token });
  assert.equal(status, 200, text);
  return body.items.map(({ title }: { title: string }) => title);
}

/** Searches of each kind on each node. */
const times = isFull ? 100 : 24;

describe('three nodes', () => {
  let nodes: TestNodes;
  before(async () => {
    nodes = await startNodes(3);
  });
  after(() => nodes.close());

  it('have the indexes of an account on its owner only, and report them', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => nodes.service.createAccount()));
    for (const account of accounts) {
      await create(nodes.all[0]!, account, 'Velvet sofa');
      const message = { content: 'Is the velvet sofa in stock?', fromChannelIdentifier: 'api' };
      await nodes.all[0]!.call('POST', '/messages', { token: account.token, body: message });
      for (const node of nodes.all) {
        assert.deepEqual(await titlesOf(node, account, 'velvte'), ['Velvet sofa']);
        const found = await node.call('GET', '/messages/search?q=velvte', { token: account.token });
        assert.equal(found.body.total, 1, found.text);
      }
    }
    const owned = (node: TestNode) => accounts.filter(({ accountId }) => nodes.ownerOf(accountId) === node);
    for (const node of nodes.all) {
      const number = owned(node).length;
      assert.equal(node.context.search.memory().indexes, number);
      assert.equal(node.context.messageSearch.memory().indexes, number);
      const { text } = await node.call('GET', '/metrics');
      const figure = (name: string) =>
        Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.+)$`, 'm').exec(text)?.[1]);
      assert.equal(figure('talkboard_search_indexes{kind="records"}'), number);
      assert.equal(figure('talkboard_search_indexes{kind="messages"}'), number);
      assert.equal(figure('talkboard_search_index_bytes{kind="records"}') > 0, number > 0);
      assert.equal(figure('talkboard_nodes'), 3);
      assert.equal(await node.calls('failed'), 0);
      assert.equal(await node.calls('answered'), 2 * (accounts.length - number));
    }
  });

  it('answer every kind of search alike, mistakes included', async () => {
    const owner = nodes.all[1]!;
    const account = await accountOf(nodes, owner);
    for (const title of ['Oak table', 'Oak chair', 'Elm table']) await create(owner, account, title);
    const { token } = account;
    const [board] = (await owner.call('GET', '/kanbans', { token })).body.items;
    const filter = encodeURIComponent(JSON.stringify({ field: 'title', op: 'contains', value: 'table' }));
    const wrong = encodeURIComponent(JSON.stringify({ field: 'title', op: 'is' }));
    const paths = [
      '/crm/search?q=oka',
      '/crm/search',
      '/crm/search?q=%E2%80%A8%22%5C&pageSize=1',
      `/crm/search?filter=${filter}&sort=title`,
      '/crm/search/aggregations',
      `/crm/search/aggregations?kanbanId=${board.id}`,
      '/crm/search/suggest?q=oa',
      '/crm/search/suggest?q=%20',
      `/crm/records?filter=${filter}&sort=-title&limit=1`,
      `/crm/export?kanbanId=${board.id}&q=oak`,
      `/crm/export?kanbanId=${board.id}&filter=${filter}`,
      `/crm/search?filter=${wrong}`,
      '/crm/search?sort=nothing',
      '/messages/search?q=hello',
    ];
    for (const path of paths) {
      const answers = await Promise.all(nodes.all.map((node) => node.call('GET', path, { token })));
      const [first, ...rest] = answers.map(({ status, text }) => ({
        status,
        text: text.replace(/"requestId":"[^"]+"/, ''),
      }));
      for (const one of rest) assert.deepEqual(one, first, path);
      assert.ok([200, 400].includes(first!.status), `${path}: ${first!.text}`);
    }
  });

  it('show an operator the boards open to them, on every node and at once', async () => {
    const owner = nodes.all[2]!;
    const account = await accountOf(nodes, owner);
    const { jwt } = account;
    const outsider = await nodes.service.createUser('operator', jwt);
    const member = await nodes.service.createUser('operator', jwt);
    const board = (await owner.call('POST', '/kanbans', { token: jwt, body: { name: 'Closed' } })).body;
    await create(owner, account, 'Open lamp');
    const hidden = { title: 'Hidden lamp' };
    const path = `/crm/records?kanbanId=${board.id}`;
    assert.equal((await owner.call('POST', path, { token: jwt, body: hidden })).status, 201);
    for (const node of nodes.all) {
      await node.call('PUT', `/kanbans/${board.id}/members`, { token: jwt, body: { userIds: [member.id] } });
      const total = async (token: string) =>
        (await node.call('GET', '/crm/search?q=lamp', { token })).body.total;
      assert.equal(await total(outsider.jwt), 1);
      assert.equal(await total(member.jwt), 2);
      await node.call('PUT', `/kanbans/${board.id}/members`, { token: jwt, body: { userIds: [] } });
      assert.equal(await total(outsider.jwt), 2);
    }
  });
});

describe('two nodes', () => {
  let nodes: TestNodes;
  before(async () => {
    nodes = await startNodes(2);
  });
  after(() => nodes.close());

  it(`find what the other one has just acknowledged, ${4 * times} times`, async () => {
    const accounts = await Promise.all(nodes.all.map((owner) => accountOf(nodes, owner)));
    const lane = async (account: Account, lane: number) => {
      for (let i = 0; i < times; i++) {
        const writer = nodes.all[i % 2]!;
        const reader = nodes.all[(i + 1) % 2]!;
        const word = `zq${lane}x${i}y`;
        const id = await create(writer, account, word);
        const { token } = account;
        assert.ok((await titlesOf(reader, account, word)).includes(word), `${word} was not found`);
        if (i % 4 === 0) {
          const body = { title: `new${word}` };
          assert.equal((await writer.call('PUT', `/crm/records/${id}`, { token, body })).status, 200);
          assert.ok((await titlesOf(reader, account, word)).includes(`new${word}`), `${word} is old`);
        } else if (i % 4 === 1) {
          assert.ok((await writer.call('DELETE', `/crm/records/${id}`, { token })).status < 300);
          assert.ok(!(await titlesOf(reader, account, word)).includes(word), `${word} is deleted`);
        } else if (i % 4 === 2) {
          const message = { content: `note ${word}`, fromChannelIdentifier: 'api' };
          assert.equal((await writer.call('POST', '/messages', { token, body: message })).status, 202);
          const found = await reader.call('GET', `/messages/search?q=${word}`, { token });
          assert.ok(
            found.body.items.some((item: { content: string }) => item.content === message.content),
            `the message ${word} was not found`,
          );
        }
      }
    };
    await Promise.all(accounts.flatMap((account) => [lane(account, 1), lane(account, 2)]));
    for (const node of nodes.all) {
      assert.ok((await node.calls('answered')) > times);
      assert.equal(await node.calls('failed'), 0);
    }
  });

  it('refuse calls that are forged, altered, repeated or for another node', async () => {
    const [node, other] = nodes.all as [TestNode, TestNode];
    const { secrets, clock } = node.context;
    const { accountId } = nodes.service.admin;
    const caller = { kind: 'system', accountId, id: 'system', name: '' };
    const question = { method: 'countStatuses', caller, args: [] };
    const body = JSON.stringify({ topic: 'records home', question });
    const signatures = createNodeSignatures(secrets, clock.now);
    const post = (header: string | null, content = body, target = node) =>
      fetch(target.base + callPath, {
        method: 'POST',
        headers: { 'content-type': callType, ...(header && { [nodeHeader]: header }) },
        body: content,
      });
    const sign = (nodeId = node.context.nodes!.id) => signatures.sign({ path: callPath, nodeId, body });

    const header = sign();
    const good = await post(header);
    assert.equal(good.status, 200);
    const sealed = (await good.text()).trimStart();
    assert.ok('answer' in JSON.parse(signatures.openAnswer(header, sealed)));

    assert.equal((await post(header)).status, 401, 'repeated');
    assert.equal((await post(null)).status, 401, 'not signed');
    assert.equal((await post(sign(), body, other)).status, 401, 'for another node');
    assert.equal((await post(sign(), body.replace('countStatuses', 'findAll'))).status, 401, 'altered');
    const late = createNodeSignatures(secrets, () => clock.now() - 60_000);
    const nodeId = node.context.nodes!.id;
    assert.equal((await post(late.sign({ path: callPath, nodeId, body }))).status, 401, 'late');
    const forger = createNodeSignatures(createSecrets('a key that this instance does not have'), clock.now);
    const forged = forger.sign({ path: callPath, nodeId, body });
    assert.equal(await answerBeforeBody(node, forged), 401, 'forged, and its body was never sent');
    const { text } = await node.call('POST', callPath, { body: { topic: 'records home', question } });
    assert.match(text, /not signed/, 'with an API token');
  });

  it('never pass a call on: the node that is called answers, owner or not', async () => {
    const [node, other] = nodes.all as [TestNode, TestNode];
    const account = await accountOf(nodes, other);
    await create(node, account, 'Copper kettle');
    const { secrets, clock } = node.context;
    const signatures = createNodeSignatures(secrets, clock.now);
    const nodeId = node.context.nodes!.id;
    const caller = { kind: 'system', accountId: account.accountId, id: 'system', name: '' };
    const question = { method: 'search', caller, args: [{ q: 'kettle' }] };
    const body = JSON.stringify({ topic: 'records home', question });
    const calls = async () => (await node.calls('answered')) + (await node.calls('failed'));
    const before = await calls();
    const header = signatures.sign({ path: callPath, nodeId, body });
    const response = await fetch(node.base + callPath, {
      method: 'POST',
      headers: { 'content-type': callType, [nodeHeader]: header },
      body,
    });
    const { answer } = JSON.parse(signatures.openAnswer(header, (await response.text()).trimStart()));
    assert.equal(JSON.parse(answer).items[0].title, 'Copper kettle');
    assert.equal(await calls(), before);
  });
});

/** Announces a large body, and sends none of it. */
function answerBeforeBody(node: TestNode, header: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(node.base + callPath, {
      method: 'POST',
      headers: { 'content-type': callType, 'content-length': maxCallBytes, [nodeHeader]: header },
    });
    request.on('error', reject).on('response', (response) => {
      resolve(response.statusCode);
      request.destroy();
    });
    request.flushHeaders();
  });
}

describe('an owner that gives no answer', () => {
  let nodes: TestNodes;
  before(async () => {
    nodes = await startNodes(2);
  });
  after(() => nodes.close());

  it('is replaced by the node that was asked, and is not asked again at once', async () => {
    const [node, other] = nodes.all as [TestNode, TestNode];
    const account = await accountOf(nodes, other);
    await create(node, account, 'Copper kettle');
    assert.deepEqual(await titlesOf(node, account, 'kettle'), ['Copper kettle']);
    assert.equal(await node.calls('answered'), 1);
    await other.crash();
    for (let i = 0; i < 10; i++) {
      await create(node, account, `Kettle ${i}`);
      assert.equal((await titlesOf(node, account, 'kettle')).length, i + 2);
    }
    assert.equal(await node.calls('answered'), 1);
    assert.ok((await node.calls('failed')) < 5);
    assert.equal(node.context.search.memory().indexes, 1);
  });

  const impostors = {
    'never answers': () => {},
    'answers without a signature': (_request: unknown, response: import('node:http').ServerResponse) =>
      response.end('{"answer":"{\\"items\\":[{\\"title\\":\\"Forged\\"}]}"}\nAAAA'),
    redirects: (_request: unknown, response: import('node:http').ServerResponse) =>
      response.writeHead(307, { location: '/elsewhere' }).end(),
  };
  for (const [what, answer] of Object.entries(impostors)) {
    it(`is not believed if it ${what}`, async () => {
      const [node] = nodes.all as [TestNode];
      const seen: string[] = [];
      const server = createServer((request, response) => {
        seen.push(`${request.method} ${request.url}`);
        answer(request, response);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { db } = node.context;
      await db.autocommit(sql`
        insert into api_nodes (id, url, seen_at) values (gen_random_uuid(), ${url}, now() + interval '1 minute')`);
      const known = node.context.nodes!.count();
      await eventually(() => node.context.nodes!.count() > known);
      try {
        await eventually(async () => {
          const account = await nodes.service.createAccount();
          await create(node, account, 'Real');
          assert.deepEqual(await titlesOf(node, account, 'real'), ['Real']);
          return seen.length > 0;
        }, 30_000);
        assert.deepEqual([...new Set(seen)], [`POST ${callPath}`]);
      } finally {
        await db.autocommit(sql`delete from api_nodes where url = ${url}`);
        server.closeAllConnections();
        server.close();
        await eventually(() => node.context.nodes!.count() === known);
      }
    });
  }

  it('is no node any more once it has left', async () => {
    const [node, other] = nodes.all as [TestNode, TestNode];
    await other.context.nodes!.leave();
    await eventually(() => node.context.nodes!.count() === 1);
    const rows = await node.context.db.query<{ url: string }>(sql`select url from api_nodes`);
    assert.deepEqual(rows, [{ url: node.base }]);
  });
});

describe('nodes of an instance with cells', () => {
  let nodes: TestNodes;
  before(async () => {
    nodes = await startNodes(2, ['eu2']);
  });
  after(() => nodes.close());

  it('search in the cell of the account, on its owner', async () => {
    // New accounts go where there is the most room: in turns.
    const accounts: Account[] = [];
    for (let i = 0; i < 6; i++) accounts.push(await nodes.service.createAccount());
    for (const [i, account] of accounts.entries()) {
      const title = `Walnut desk ${i}`;
      await create(nodes.all[i % 2]!, account, title);
      for (const node of nodes.all) assert.deepEqual(await titlesOf(node, account, 'walnut'), [title]);
    }
    const indexes = (node: TestNode) =>
      ['home', 'eu2'].map((cell) => node.contextOf(cell).search.memory().indexes);
    const counts = nodes.all.map(indexes);
    assert.equal(
      counts.flat().reduce((sum, number) => sum + number),
      accounts.length,
    );
    assert.ok(counts.some(([, eu2]) => eu2! > 0));
    for (const [i, node] of nodes.all.entries()) {
      const owned = accounts.filter(({ accountId }) => nodes.ownerOf(accountId) === node);
      assert.equal(counts[i]![0]! + counts[i]![1]!, owned.length);
      assert.equal(await node.calls('failed'), 0);
    }
  });
});

describe('a service without NODE_ADDRESS', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  it('searches alone: no row, no endpoint', async () => {
    assert.equal(service.context.nodes, null);
    assert.equal((await service.call('GET', '/crm/search?q=a')).status, 200);
    assert.equal((await service.call('POST', callPath, { body: {} })).status, 404);
    assert.deepEqual(await service.context.db.query(sql`select from api_nodes`), []);
  });
});
