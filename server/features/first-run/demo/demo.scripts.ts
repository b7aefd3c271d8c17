/**
 * Scripts of conversations. A turn is `who: text` with the customer (c), the AI (a), a team member (p), a note among
 * colleagues (n), the AI handing over (h), a person taking over unasked (t) and handing back (b). `a(prices): text` cites
 * the article `prices`; `h(missing)` says that no article answers the first question. Names in braces are filled in for each conversation.
 */
import { cancellation, english, heldReply } from './demo.scripts.en.ts';
import { spanish } from './demo.scripts.es.ts';
import { portuguese } from './demo.scripts.pt.ts';

export type Who = 'c' | 'a' | 'p' | 'n' | 'h' | 't' | 'b';
export interface Turn {
  who: Who;
  text: string;
  /** The name of the article that the reply is based on, or `missing`. */
  article: string | null;
}
export type DemoLanguage = 'en' | 'pt' | 'es';
/** The board of the conversation. */
export type Topic = 'sales' | 'support';
export interface Script {
  language: DemoLanguage;
  topic: Topic;
  turns: Turn[];
}

export const missing = 'missing';
const turnForm = /^([capnhtb])(?:\(([\w-]+)\))?: ?(.*)$/;

function read(language: DemoLanguage, topic: Topic, text: string): Script {
  const turns = text
    .trim()
    .split('\n')
    .map((line) => {
      const [, who, article = null, said] = turnForm.exec(line.trim()) ?? [];
      if (!who || said === undefined) throw new Error(`not a turn: ${line}`);
      return { who: who as Who, text: said, article };
    });
  return { language, topic, turns };
}

const books: [DemoLanguage, { [topic in Topic]: string[] }][] = [
  ['en', english],
  ['pt', portuguese],
  ['es', spanish],
];

export const scripts: Script[] = books.flatMap(([language, book]) =>
  (['sales', 'support'] as const).flatMap((topic) => book[topic].map((text) => read(language, topic, text))),
);

/** Its last reply repeats the note before it, and is therefore held. */
export const heldScript: Script = read('en', 'sales', heldReply);

/** It ends while the call of a tool waits for a colleague. */
export const approvalScript: Script = read('en', 'support', cancellation);

export interface Words {
  name: string;
  company: string;
  operator: string;
  blend: string;
  kilos: string;
  order: string;
  price: string;
  day: string;
}

export function fillIn(text: string, words: Words): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => words[name as keyof Words] ?? whole);
}
