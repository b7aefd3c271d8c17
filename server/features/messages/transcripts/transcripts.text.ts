/** A conversation as an e-mail: plain text and simple HTML, everything of people escaped. */
import type { LanguageName } from '../../../../contract/limits.ts';

export interface TranscriptLine {
  author: string;
  at: number;
  text: string;
  fileNames: readonly string[];
  /** A customer may be anyone, so their links are left out, also where the AI repeats them. */
  by: 'customer' | 'ai' | 'person';
}

export interface TranscriptInput {
  title: string;
  lines: readonly TranscriptLine[];
  isCut: boolean;
  language: LanguageName;
  timeZone: string;
}

const words: {
  [language in LanguageName]: { subject: string; cut: string; file: string; zone: string; link: string };
} = {
  en: {
    subject: 'Your conversation with {title}',
    cut: 'Earlier messages are not included.',
    file: 'File: {name}',
    zone: 'All times are in {zone}.',
    link: '[link]',
  },
  pt: {
    subject: 'Sua conversa com {title}',
    cut: 'As mensagens anteriores não estão incluídas.',
    file: 'Arquivo: {name}',
    zone: 'Todos os horários estão em {zone}.',
    link: '[link]',
  },
  es: {
    subject: 'Tu conversación con {title}',
    cut: 'Los mensajes anteriores no están incluidos.',
    file: 'Archivo: {name}',
    zone: 'Todas las horas están en {zone}.',
    link: '[enlace]',
  },
};

export const ownName: { [language in LanguageName]: string } = { en: 'You', pt: 'Você', es: 'Tú' };

/** A function: the name may have $& and the like. */
const fill = (text: string, value: string) => text.replace(/\{\w+\}/, () => value);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a header
const controls = /[\u0000-\u001f\u007f\u2028\u2029]+/g;
const oneLine = (text: string) => text.replace(controls, ' ').trim();

const entities: { [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (one) => entities[one]!);

/** A host with a path. The patterns are bounded: a customer writes what they are tried on. */
const path = /[\p{L}\p{N}]\.\p{L}[\p{L}\p{N}-]{1,62}(?::\d{1,5})?[/?#]/u;
/** The name of a host, not of an e-mail address. */
const host =
  /(?<![@\p{L}\p{N}.-])(?:[\p{L}\p{N}-]{1,63}\.){1,127}\p{L}[\p{L}\p{N}-]{1,62}(?![@\p{L}\p{N}-])/gu;
const isLink = (word: string) => word.includes('://') || /www\./i.test(word) || path.test(word);

/** What mail programs turn into links: a mail of ours must not carry it to its reader. Hosts stay: `example[.]com`. */
const withoutLinks = (text: string, link: string) =>
  text.replace(/\S+/g, (word) =>
    isLink(word) ? link : word.replace(host, (name) => name.replaceAll('.', '[.]')),
  );

const hostsIn = (text: string): string[] => (text.match(host) ?? []).map((name) => name.toLowerCase());

/** The customer may have asked for the repetition. */
const withoutTheirLinks = (text: string, theirs: ReadonlySet<string>, link: string) =>
  text.replace(/\S+/g, (word) =>
    hostsIn(word).some((name) => theirs.has(name)) ? withoutLinks(word, link) : word,
  );

export function writeTranscript(input: TranscriptInput): { subject: string; text: string; html: string } {
  const { lines, isCut, language, timeZone } = input;
  const { cut, file, zone, link, ...own } = words[language];
  const subject = fill(own.subject, oneLine(input.title).slice(0, 150));
  const clock = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const written = lines.map(({ text, fileNames, ...line }) => ({
    ...line,
    body: [text, ...fileNames.map((name) => fill(file, oneLine(name)))].filter(Boolean).join('\n'),
  }));
  const theirs = new Set(written.flatMap(({ by, body }) => (by === 'customer' ? hostsIn(body) : [])));
  const safe = {
    customer: (body: string) => withoutLinks(body, link),
    ai: (body: string) => withoutTheirLinks(body, theirs, link),
    person: (body: string) => body,
  };
  const shown = written.map(({ author, at, by, body }) => ({
    head: `${oneLine(author)} · ${clock.format(at)}`,
    body: safe[by](body),
  }));
  const foot = fill(zone, timeZone);
  const text = [
    subject,
    ...(isCut ? [cut] : []),
    ...shown.map(({ head, body }) => `${head}\n${body}`),
    foot,
  ].join('\n\n');
  const paragraph = (content: string, style: string) => `<p style="${style}">${content}</p>`;
  const muted = 'margin:0 0 2px;color:#565c68;font-size:13px';
  const html = [
    '<!doctype html><html><body style="font-family:sans-serif;font-size:15px;line-height:1.5;color:#17181c">',
    `<h1 style="font-size:18px">${escapeHtml(subject)}</h1>`,
    ...(isCut ? [paragraph(escapeHtml(cut), muted)] : []),
    ...shown.map(
      ({ head, body }) =>
        paragraph(escapeHtml(head), muted) +
        paragraph(escapeHtml(body).replaceAll('\n', '<br>'), 'margin:0 0 16px'),
    ),
    paragraph(escapeHtml(foot), muted),
    '</body></html>',
  ].join('\n');
  return { subject, text, html };
}
