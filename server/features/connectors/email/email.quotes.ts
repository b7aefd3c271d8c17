/**
 * Separates what a person wrote from the history that mail programs quote. Everything here is linear in the length of the
 * text: no pattern can be made slow by a hostile mail.
 */
export interface Folded {
  text: string;
  /** Null: nothing was folded away. */
  quoted: string | null;
}

/** How an attribution begins and ends, by language: "On … wrote:". */
const attributions: readonly { starts: readonly string[]; verbs: readonly string[] }[] = [
  { starts: ['On '], verbs: ['wrote', 'writes'] },
  { starts: ['Am ', 'Von: ', 'Den '], verbs: ['schrieb', 'skrev'] },
  { starts: ['Em ', 'No dia ', 'A '], verbs: ['escreveu'] },
  { starts: ['El ', 'En '], verbs: ['escribió', 'escribio'] },
  { starts: ['Le '], verbs: ['a écrit', 'a ecrit'] },
  { starts: ['Il giorno ', 'Il '], verbs: ['ha scritto'] },
  { starts: ['Op '], verbs: ['schreef'] },
];
const anyVerb = attributions.flatMap(({ verbs }) => verbs);
const longestAttribution = 500;

const originalMessage =
  /^-{2,20} ?(?:original message|mensagem original|mensaje original|ursprüngliche nachricht|message d['’]origine|messaggio originale|reply message) ?-{2,20}$/i;
/** What follows is what the person wants to show. */
const forwardedMessage =
  /^(?:-{2,20} ?(?:forwarded message|mensagem encaminhada|mensaje reenviado|weitergeleitete nachricht|message transféré) ?-{2,20}|begin forwarded message:)$/i;
const rule = /^_{10,200}$/;
const headerName = {
  from: /^\*{0,2}(?:from|de|von|da|van|från)\*{0,2}:/i,
  date: /^\*{0,2}(?:sent|date|enviado(?: el)?|enviada(?: em)?|gesendet|datum|data|fecha|envoyé|inviato)\*{0,2}:/i,
  subject: /^\*{0,2}(?:subject|assunto|asunto|betreff|objet|oggetto|onderwerp)\*{0,2}:/i,
};
/** Lines of a header block of Outlook. */
const headerLines = 8;

export function foldQuotes(given: string): Folded {
  const text = given.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const lines = text.split('\n').map((line) => line.trimEnd());
  const start = startOfHistory(lines);
  if (start === null) return { text: clean(text), quoted: null };
  const above = clean(lines.slice(0, start.at).join('\n'));
  const history = lines.slice(start.at);
  if (above !== '') {
    if (start.isBlock && hasAnswerBelow(history)) return { text: clean(text), quoted: null };
    return { text: above, quoted: clean(history.join('\n')) };
  }
  return answerBelow(history) ?? { text: clean(text), quoted: null };
}

/** Where the first quotation begins; `isBlock`: it is one of lines with `>`. */
function startOfHistory(lines: readonly string[]): { at: number; isBlock: boolean } | null {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!.trim();
    if (forwardedMessage.test(line)) return null;
    if (originalMessage.test(line)) return { at, isBlock: false };
    if (line.startsWith('>')) return { at, isBlock: true };
    const length = attributionLength(lines, at);
    if (length > 0) {
      const next = firstFilled(lines, at + length);
      return { at, isBlock: next?.startsWith('>') ?? false };
    }
    if (isHeaderBlock(lines, at)) return { at, isBlock: false };
    if (rule.test(line) && isHeaderBlock(lines, at + 1)) return { at, isBlock: false };
  }
  return null;
}

const firstFilled = (lines: readonly string[], from: number) => {
  for (let at = from; at < Math.min(lines.length, from + 4); at++) {
    if (lines[at]!.trim() !== '') return lines[at]!.trim();
  }
  return null;
};

/** How many lines an attribution at this place has; mail programs break it at 76 characters. 0: there is none. */
function attributionLength(lines: readonly string[], at: number): number {
  const first = lines[at]!.trim();
  if (first === '' || first.startsWith('>')) return 0;
  let joined = '';
  for (let count = 1; count <= 4 && at + count <= lines.length; count++) {
    const line = lines[at + count - 1]!.trim();
    if (line === '') return 0;
    joined = joined === '' ? line : `${joined} ${line}`;
    if (joined.length > longestAttribution) return 0;
    if (joined.endsWith(':') && isAttribution(joined)) return count;
  }
  return 0;
}

/** With a date or an address: "On the other hand, she wrote:" is a sentence. */
function isAttribution(line: string): boolean {
  const body = line.slice(0, -1).trimEnd();
  const hasPlace = /\d/.test(body) && (body.includes('@') || /\d{1,2}[:h.]\d{2}|\d{4}/.test(body));
  if (!hasPlace) return false;
  if (
    attributions.some(
      ({ starts, verbs }) => starts.some((one) => body.startsWith(one)) && hasVerb(body, verbs),
    )
  ) {
    return true;
  }
  // "Ada Lovelace <ada@example.com> wrote on Monday, 3 March 2026:"
  return body.includes('@') && hasVerb(body, anyVerb);
}

const hasVerb = (body: string, verbs: readonly string[]) =>
  verbs.some((verb) => body.endsWith(` ${verb}`) || body.includes(` ${verb} `));

function isHeaderBlock(lines: readonly string[], from: number): boolean {
  let at = from;
  while (at < from + 2 && lines[at]?.trim() === '') at++;
  if (at >= lines.length || !headerName.from.test(lines[at]!.trim())) return false;
  const block = lines.slice(at + 1, at + headerLines).map((line) => line.trim());
  return (
    block.some((line) => headerName.date.test(line)) && block.some((line) => headerName.subject.test(line))
  );
}

/** Text between or after quoted lines answers them: then they stay. */
function hasAnswerBelow(history: readonly string[]): boolean {
  const attribution = attributionLength(history, 0);
  let isAfterQuote = false;
  for (const line of history.slice(attribution)) {
    if (line.trim().startsWith('>')) isAfterQuote = true;
    else if (line.trim() !== '' && isAfterQuote && !isSignature(line)) return true;
  }
  return false;
}

const isSignature = (line: string) =>
  /^(?:-- ?$|sent from |enviado (?:do|desde)|von meinem )/i.test(line.trim());

/** A mail that begins with its quotation, and answers below it. Null: it has nothing else. */
function answerBelow(history: readonly string[]): Folded | null {
  let at = attributionLength(history, 0);
  while (at < history.length && (history[at]!.trim() === '' || history[at]!.trim().startsWith('>'))) at++;
  const text = clean(history.slice(at).join('\n'));
  const rest = history.slice(at);
  if (at === 0 || text === '' || rest.some((line) => line.trim().startsWith('>'))) return null;
  return { text, quoted: clean(history.slice(0, at).join('\n')) };
}

/** At most one empty line, none at the ends. */
function clean(text: string): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const kept = line.trimEnd();
    if (kept !== '' || (lines.length > 0 && lines.at(-1) !== '')) lines.push(kept);
  }
  while (lines.at(-1) === '') lines.pop();
  return lines.join('\n');
}
