// The expected result of a search, by the rules alone: every record is compared with every term by plain dynamic
// programming. It shares no code with the product, so that a mistake would have to be made twice.

export type OracleValue = { fieldId: string; type: string; value: unknown };
export type OracleRecord = {
  id: string;
  kanbanId: string;
  status: string;
  title: string;
  createdAt: number;
  updatedAt: number;
  /** In the order in which the record shows its fields. */
  fields: OracleValue[];
};
export type OracleFilter = { kanbanId?: string; status?: string; openKanbanIds?: string[] };
type Found = { typos: number; atWordStart: boolean };

const SEARCHED_TYPES = ['text', 'email', 'phone', 'url', 'select', 'multiselect'];
const isLetterOrDigit = (character: string | undefined): boolean =>
  character !== undefined && /[\p{Letter}\p{Number}]/u.test(character);

export function oracleFold(text: string): string {
  let result = '';
  for (const character of text.normalize('NFKD')) {
    const code = character.codePointAt(0)!;
    if (code < 0x300 || code > 0x36f) result += character;
  }
  result = result.normalize('NFC').toLowerCase();
  for (const [from, to] of ['ß ss', 'æ ae', 'œ oe', 'ø o', 'đ d', 'ł l', 'ı i', 'ς σ'].map((pair) =>
    pair.split(' '),
  )) {
    result = result.split(from!).join(to);
  }
  return result;
}

/** Optimal string alignment distance of two lists of characters. */
function oracleDistance(a: string[], b: string[]): number {
  const table: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    table.push([]);
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        table[i]![j] = i + j;
        continue;
      }
      let cost = Math.min(
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + Number(a[i - 1] !== b[j - 1]),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, table[i - 2]![j - 2]! + 1);
      }
      table[i]![j] = cost;
    }
  }
  return table[a.length]![b.length]!;
}

function better(a: Found | null, b: Found | null): Found | null {
  if (a === null || b === null) return a ?? b;
  if (a.typos !== b.typos) return a.typos < b.typos ? a : b;
  return a.atWordStart ? a : b;
}

/** One term against one text, by trying everything that the rules allow. */
function matchPlain(term: string[], text: string, [one, two] = inRecords): Found | null {
  const allowed = term.length < one! ? 0 : term.length < two! ? 1 : 2;
  let best: Found | null = null;
  for (const token of text.split(/\s+/)) {
    const characters = [...token];
    const startsWord = (at: number) =>
      isLetterOrDigit(characters[at]) && !isLetterOrDigit(characters[at - 1]);
    for (let start = 0; start < characters.length; start++) {
      if (characters.slice(start, start + term.length).join('') === term.join('')) {
        best = better(best, { typos: 0, atWordStart: startsWord(start) });
      }
      if (allowed === 0 || (term.length < 6 && !startsWord(start))) continue;
      for (let end = start + 1; end <= Math.min(characters.length, start + term.length + allowed); end++) {
        if (term.length < 6 && !isLetterOrDigit(characters[end - 1])) break;
        const typos = oracleDistance(term, characters.slice(start, end));
        if (typos <= allowed) best = better(best, { typos, atWordStart: startsWord(start) });
      }
    }
  }
  return best;
}

/** From how many characters on a term may have one typo, and two. */
const inRecords = [3, 6];

export function oracleMatch(
  term: string,
  value: string,
  isPhone: boolean,
  typosFrom = inRecords,
): Found | null {
  const text = oracleFold(value);
  let best = matchPlain([...term], text, typosFrom);
  if (!isPhone) return best;
  const digits = [...text].filter((character) => '0123456789'.includes(character)).join('');
  best = better(best, matchPlain([...term], digits));
  const ownDigits = [...term].filter((character) => '0123456789'.includes(character));
  const onlyPhoneCharacters = [...term].every((character) => '0123456789+-().'.includes(character));
  if (onlyPhoneCharacters && ownDigits.length >= 3) best = better(best, matchPlain(ownDigits, digits));
  return best;
}

const termsOf = (q: string): string[] =>
  oracleFold(q)
    .split(/\s+/)
    .filter((term) => term.length > 0);

/** The searched texts of a record, title first. */
function textsOf(record: OracleRecord): { text: string; isPhone: boolean; fieldId: string | null }[] {
  const texts: { text: string; isPhone: boolean; fieldId: string | null }[] = [
    { text: record.title, isPhone: false, fieldId: null },
  ];
  for (const { fieldId, type, value } of record.fields) {
    if (!SEARCHED_TYPES.includes(type)) continue;
    for (const text of Array.isArray(value) ? value : [value]) {
      texts.push({ text: String(text), isPhone: type === 'phone', fieldId });
    }
  }
  return texts;
}

function passes(record: OracleRecord, filter: OracleFilter): boolean {
  if (filter.kanbanId !== undefined && record.kanbanId !== filter.kanbanId) return false;
  if (filter.status !== undefined && record.status !== filter.status) return false;
  return filter.openKanbanIds === undefined || filter.openKanbanIds.includes(record.kanbanId);
}

const newestFirst = (a: OracleRecord, b: OracleRecord): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
const lastChangedFirst = (a: OracleRecord, b: OracleRecord): number =>
  b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

export function oracleSearch(records: OracleRecord[], q: string, filter: OracleFilter = {}) {
  const visible = records.filter((record) => passes(record, filter));
  const terms = termsOf(q);
  if (terms.length === 0) return visible.sort(newestFirst).map(({ id }) => ({ id, typos: 0 }));
  const found: { record: OracleRecord; typos: number; atWordStart: boolean }[] = [];
  for (const record of visible) {
    const best = terms.map((term) =>
      textsOf(record)
        .map(({ text, isPhone }) => oracleMatch(term, text, isPhone))
        .reduce(better, null),
    );
    if (best.some((match) => match === null)) continue;
    found.push({
      record,
      typos: best.reduce((sum, match) => sum + match!.typos, 0),
      atWordStart: best.some((match) => match!.atWordStart),
    });
  }
  found.sort(
    (a, b) =>
      a.typos - b.typos ||
      Number(b.atWordStart) - Number(a.atWordStart) ||
      lastChangedFirst(a.record, b.record),
  );
  return found.map(({ record, typos }) => ({ id: record.id, typos }));
}

/** A suggestion is one value in which every term matches; a text of several records belongs to the newest. */
export function oracleSuggest(records: OracleRecord[], q: string, limit: number, filter: OracleFilter = {}) {
  const terms = termsOf(q);
  const found: { record: OracleRecord; text: string; place: number; typos: number; atWordStart: boolean }[] =
    [];
  for (const record of records.filter((each) => passes(each, filter))) {
    textsOf(record).forEach(({ text, isPhone }, place) => {
      const best = terms.map((term) => oracleMatch(term, text, isPhone));
      if (terms.length === 0 || best.some((match) => match === null)) return;
      found.push({
        record,
        text,
        place,
        typos: best.reduce((sum, match) => sum + match!.typos, 0),
        atWordStart: best.some((match) => match!.atWordStart),
      });
    });
  }
  found.sort(
    (a, b) =>
      Number(b.atWordStart) - Number(a.atWordStart) ||
      a.typos - b.typos ||
      (a.record === b.record ? a.place - b.place : lastChangedFirst(a.record, b.record)),
  );
  const texts = new Set<string>();
  const suggestions: { text: string; recordId: string }[] = [];
  for (const { text, record } of found) {
    if (texts.has(text) || suggestions.length === limit) continue;
    texts.add(text);
    suggestions.push({ text, recordId: record.id });
  }
  return suggestions;
}

export function oracleLookup(records: OracleRecord[], fieldId: string, value: string): string[] {
  const caseless = (text: string) => text.toLowerCase().replace(/ς/g, 'σ');
  return records
    .filter((record) =>
      record.fields.some(
        (field) =>
          field.fieldId === fieldId &&
          (Array.isArray(field.value) ? field.value : [field.value]).some(
            (each) => caseless(String(each)) === caseless(value),
          ),
      ),
    )
    .sort(newestFirst)
    .map(({ id }) => id);
}

export function oracleCounts(records: OracleRecord[], filter: OracleFilter = {}): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of records.filter((record) => passes(record, filter)))
    counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
