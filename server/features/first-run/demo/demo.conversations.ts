/** Plays a script: what each turn leaves in the conversation, as the rules of messages would have left it. */
import { newId } from '../../../platform/ids.ts';
import type { StoredCitation } from '../../knowledge/knowledge.ts';
import type { SessionState } from '../../sessions/sessions.ts';
import { pause, workingMoment } from './demo.calendar.ts';
import type { Chance } from './demo.random.ts';
import { fillIn, missing, type Script, type Words } from './demo.scripts.ts';

export interface DemoMessage {
  id: string;
  position: number;
  role: 'user' | 'assistant' | 'operator';
  content: string;
  at: number;
  isNote: boolean;
  held: boolean;
  status: 'delivered' | 'read' | 'failed' | null;
  reactions: string[];
  agentId: string | null;
  operator: { id: string; name: string } | null;
  inReplyTo: string | null;
  citations: StoredCitation[];
}

export interface DemoReply {
  messageId: string;
  replyId: string | null;
  outcome: 'sent' | 'held' | 'suppressed';
  reason: string | null;
  latencyMs: number | null;
  citations: StoredCitation[];
  handoverReason: 'requested' | null;
  /** No article answers what the conversation began with. */
  isMissing: boolean;
  at: number;
}

export interface DemoConversation {
  session: SessionState;
  messages: DemoMessage[];
  replies: DemoReply[];
  pauses: { at: number; aiPaused: boolean; changedBy: string; sequence: number }[];
}

export interface Stage {
  chance: Chance;
  script: Script;
  words: Words;
  session: SessionState;
  operator: { id: string; name: string };
  now: number;
  /** The customer still waits for a person, for a held reply to be released, or for a call of a tool to be approved. */
  waits: 'person' | 'release' | 'approval' | null;
  citationOf(article: string): StoredCitation;
}

export function play(stage: Stage): DemoConversation {
  const { chance, words, operator, now } = stage;
  const session = { ...stage.session };
  const { agentId } = session;
  const messages: DemoMessage[] = [];
  const replies: DemoReply[] = [];
  const pauses: DemoConversation['pauses'] = [];
  let at = session.createdAt;
  let asked: DemoMessage | null = null;
  let personSpoke = false;

  const say = (message: Partial<DemoMessage> & Pick<DemoMessage, 'role' | 'content'>): DemoMessage => {
    const said: DemoMessage = {
      id: newId(at),
      position: ++session.messageCount,
      at,
      isNote: false,
      held: false,
      status: null,
      reactions: [],
      agentId: null,
      operator: null,
      inReplyTo: null,
      citations: [],
      ...message,
    };
    messages.push(said);
    session.updatedAt = at;
    if (!said.isNote) session.lastMessageAt = at;
    return said;
  };
  const setPaused = (aiPaused: boolean, changedBy: string) => {
    if (session.aiPaused === aiPaused) return;
    session.aiPaused = aiPaused;
    session.updatedAt = at;
    pauses.push({ at, aiPaused, changedBy, sequence: ++session.eventSequence });
  };
  const sentStatus = () => (chance.happens(0.01) ? 'failed' : chance.happens(0.9) ? 'read' : 'delivered');
  const liked = () => (chance.happens(0.09) ? [chance.pick(['👍', '❤️', '🙏', '😊'])] : []);

  for (const { who, text, article } of turnsOf(stage)) {
    const content = fillIn(text, words);
    if (who === 'c') at += messages.length === 0 ? 0 : pause.customer(chance);
    else if (who === 'a' || who === 'h') at += pause.ai(chance);
    else if (who === 'n' || who === 't') {
      at += pause.note(chance);
      // A held reply needs someone at work now, at any hour.
      if (stage.waits === null) at = workingMoment(chance, at);
    } else if (who === 'p') at = workingMoment(chance, at + pause.person(chance, !personSpoke));
    if (at > now) break;
    if (who === 'c') {
      asked = say({ role: 'user', content });
      session.unread++;
    } else if (who === 'a' || who === 'h') {
      const latencyMs = chance.whole(380, 2_900);
      const isMissing = article === missing;
      const citations = article === null || isMissing ? [] : [stage.citationOf(article)];
      const reply = say({
        role: 'assistant',
        content,
        agentId,
        inReplyTo: asked?.id ?? null,
        status: sentStatus(),
        reactions: liked(),
        citations,
      });
      if (asked) {
        replies.push({
          messageId: asked.id,
          replyId: reply.id,
          outcome: 'sent',
          reason: null,
          latencyMs,
          citations,
          handoverReason: who === 'h' ? 'requested' : null,
          isMissing,
          at,
        });
      }
      if (who === 'h') {
        setPaused(true, agentId);
        session.needsAttention = true;
      }
    } else if (who === 'p') {
      setPaused(true, operator.id);
      say({ role: 'operator', content, operator, status: sentStatus(), reactions: liked() });
      Object.assign(session, { unread: 0, needsAttention: false });
      personSpoke = true;
    } else if (who === 'b') setPaused(false, operator.id);
    else {
      if (who === 't') {
        setPaused(true, operator.id);
        if (asked) {
          const nothing = {
            replyId: null,
            latencyMs: null,
            citations: [],
            handoverReason: null,
            isMissing: false,
          };
          const suppressed = { ...nothing, messageId: asked.id, at };
          replies.push({ ...suppressed, outcome: 'suppressed', reason: 'AI paused' });
        }
      }
      say({ role: 'operator', content, isNote: true, operator });
    }
  }
  if (stage.waits === 'release') hold(messages, replies, session);
  if (stage.waits === 'approval') session.needsAttention = true;
  const isOver = stage.waits === null && session.lastMessageAt < now - 36 * 3_600_000;
  if (isOver || (stage.waits === null && chance.happens(0.7))) {
    session.unread = 0;
    session.needsAttention = false;
    if (isOver && session.aiPaused && chance.happens(0.65)) {
      at = Math.min(now, session.lastMessageAt + chance.whole(600_000, 7_200_000));
      setPaused(false, operator.id);
    }
  }
  session.waitingSince = waitingSince(messages);
  return { session, messages, replies, pauses };
}

function waitingSince(messages: readonly DemoMessage[]): number | null {
  let since: number | null = null;
  for (const { role, isNote, held, at } of messages) {
    if (role === 'user') since ??= at;
    else if (!isNote && !held) since = null;
  }
  return since;
}

/** Conversations that wait for a person end at the hand-over. */
function turnsOf({ script, waits }: Stage): Script['turns'] {
  const { turns } = script;
  if (waits === 'person') {
    const handOver = turns.findIndex(({ who }) => who === 'h');
    return handOver < 0 ? turns : turns.slice(0, handOver + 1);
  }
  return turns;
}

function hold(messages: DemoMessage[], replies: DemoReply[], session: SessionState): void {
  const reply = messages.at(-1);
  if (reply?.role !== 'assistant') return;
  Object.assign(reply, { held: true, status: null, reactions: [] });
  session.needsAttention = true;
  for (const one of replies.filter(({ replyId }) => replyId === reply.id)) {
    Object.assign(one, { outcome: 'held', reason: 'repeats a note' });
  }
}
