/** What knowledge adds to a reply: an agent with sources beside one without, in alternating rounds of one run. */
import { says, startOpenAiServer } from '../../../test/support/model-servers.ts';
import { Random } from '../../corpus/random.ts';
import { openClient, percentile } from '../../load/client.ts';
import { median } from '../../load/pairs.ts';
import { openReplies } from '../../load/replies.ts';
import type { Scenario } from '../../scenario.ts';
import { login } from '../../stage.ts';
import { fillPassages } from './fill-passages.ts';
import { questionOf } from './knowledge.ts';

const passages = 10_000;
const perSecond = 20;
/** A round is as long as so many bursts, for a p99 of 200 replies. */
const burstsEach = 4;
const goalMs = 30;

export const knowledgeReplies: Scenario = {
  name: 'knowledge-replies',
  about: `replies of an agent with ${passages} passages beside one without sources, with a model that answers at once`,
  onRequest: true,
  fillsItself: true,
  async measure({ service, workspace, options, pool, say, onClose }) {
    const model = await startOpenAiServer();
    onClose(() => model.close());
    model.choose(() => says('You find it in your account [1].'));
    const { body: signedIn } = await openClient(service.url, '').call('POST', '/auth/login', login);
    const client = openClient(service.url, signedIn.token);
    onClose(() => client.close());
    say(`filling ${passages} passages`);
    const random = new Random(options.seed);
    const texts = await fillPassages(pool, workspace.accountId, passages, random);
    await pool.query('vacuum analyze knowledge_documents, knowledge_passages');
    const { body: sources } = await client.call('GET', '/knowledge/sources');

    const open = async (name: string, knowledgeSourceIds: readonly string[]) => {
      const { body: agent } = await client.call('POST', '/agents', {
        name,
        provider: 'openai-compatible',
        model: 'at-once',
        baseUrl: model.baseUrl,
        knowledgeSourceIds,
      });
      const replies = await openReplies(service, workspace.token, agent.id, () =>
        questionOf(random, texts, false),
      );
      onClose(() => replies.close());
      return replies;
    };
    const sides = {
      with: await open('With knowledge', [sources.items[0].id]),
      without: await open('Without knowledge', []),
    };
    const seconds = options.seconds * burstsEach;
    for (const side of Object.values(sides)) await side.timesAt(perSecond, options.warmUpSeconds);
    const times = { with: [] as number[][], without: [] as number[][] };
    for (let pair = 0; pair < options.pairs; pair++) {
      const order = ['with', 'without'] as const;
      for (const side of pair % 2 === 0 ? order : order.toReversed()) {
        times[side].push(await sides[side].timesAt(perSecond, seconds));
      }
    }
    const added = (share: number) =>
      median(
        times.with.map((round, pair) => percentile(round, share) - percentile(times.without[pair]!, share)),
      );
    const whole = (side: keyof typeof times, share: number) => percentile(times[side].flat(), share);
    return [
      { name: 'without sources, p50 ms', value: whole('without', 0.5), goal: null },
      { name: 'without sources, p99 ms', value: whole('without', 0.99), goal: null },
      { name: 'with knowledge, p50 ms', value: whole('with', 0.5), goal: null },
      { name: 'with knowledge, p99 ms', value: whole('with', 0.99), goal: null },
      { name: 'added p50, median of the pairs, ms', value: added(0.5), goal: null },
      { name: 'added p99, median of the pairs, ms', value: added(0.99), goal: { atMost: goalMs } },
    ];
  },
};
