/** A conversation as an e-mail: plain text and simple HTML, everything of people escaped. */
import type { LanguageName } from '../../../contract/limits.ts';

export interface TranscriptLine {
  author: string;
  at: number;
  text: string;
  fileNames: readonly string[];
}

export interface TranscriptInput {
  title: string;
  lines: readonly TranscriptLine[];
  isCut: boolean;
  language: LanguageName;
  timeZone: string;
}

const words: { [language in LanguageName]: { subject: string; cut: string; file: string; zone: string } } = {
  en: {
    subject: 'Your conversation with {title}',
    cut: 'Earlier messages are not included.',
    file: 'File: {name}',
    zone: 'All times are in {zone}.',
  },
  pt: {
    subject: 'Sua conversa com {title}',
    cut: 'As mensagens anteriores não estão incluídas.',
    file: 'Arquivo: {name}',
    zone: 'Todos os horários estão em {zone}.',
  },
  es: {
    subject: 'Tu conversación con {title}',
    cut: 'Los mensajes anteriores no están incluidos.',
    file: 'Archivo: {name}',
    zone: 'Todas las horas están en {zone}.',
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

export function writeTranscript(input: TranscriptInput): { subject: string; text: string; html: string } {
  const { lines, isCut, language, timeZone } = input;
  const { cut, file, zone, ...own } = words[language];
  const subject = fill(own.subject, oneLine(input.title).slice(0, 150));
  const clock = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const shown = lines.map(({ author, at, text, fileNames }) => ({
    head: `${oneLine(author)} · ${clock.format(at)}`,
    body: [text, ...fileNames.map((name) => fill(file, oneLine(name)))].filter(Boolean).join('\n'),
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
